package transparency

import (
	"regexp"
	"strings"
	"testing"
)

// scriptsMin is how many scripts the corpus has at least.
const scriptsMin = 300

func TestCorpusIsLarge(t *testing.T) {
	if n := len(corpus(t)); n < scriptsMin {
		t.Errorf("%d scripts, want at least %d", n, scriptsMin)
	}
}

// Every command of PostgreSQL's manual, as psql itself lists them, is somewhere in the corpus.
func TestCorpusHasEveryCommand(t *testing.T) {
	if err := shared.freshRole(t.Context(), "", nil); err != nil {
		t.Fatal(err)
	}
	help, err := shared.direct().run(t.Context(), t.TempDir(), nil, []string{"-c", `\h`})
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, s := range append(corpus(t), differing(t)...) {
		all.WriteString(" ; " + strings.ReplaceAll(s.text, "\n", " ; "))
	}
	text := regexp.MustCompile(`\s+`).ReplaceAllString(strings.ToUpper(all.String()), " ")
	names := commands(help)
	if len(names) < 180 {
		t.Fatalf("psql lists %d commands:\n%s", len(names), help)
	}
	for _, name := range names {
		if !written(text, name) {
			t.Errorf("no script has %s", name)
		}
	}
}

// commands reads psql's list, which is in columns of one width.
func commands(help string) []string {
	var names []string
	width := 0
	for line := range strings.Lines(help) {
		rest, listed := strings.CutPrefix(strings.TrimRight(line, "\n"), "  ")
		if !listed {
			continue
		}
		if width == 0 {
			width = regexp.MustCompile(`\s{2,}`).FindStringIndex(rest)[1]
		}
		for ; rest != ""; rest = rest[min(width, len(rest)):] {
			names = append(names, strings.TrimSpace(rest[:min(width, len(rest))]))
		}
	}
	return names
}

// spellings are how a command begins whose name in the list is not how it is written.
var spellings = map[string]string{
	"CREATE TABLE AS":       `CREATE (UNLOGGED |TEMP )?TABLE \w+ AS`,
	"SELECT INTO":           `SELECT [^;]* INTO `,
	"CREATE AGGREGATE":      `CREATE AGGREGATE`,
	"ROLLBACK TO SAVEPOINT": `ROLLBACK TO SAVEPOINT`,
	"SET TRANSACTION":       `SET TRANSACTION`,
}

func written(text, name string) bool {
	pattern, ok := spellings[name]
	if !ok {
		pattern = regexp.QuoteMeta(name)
	}
	return regexp.MustCompile(`[;:(] ?(BEGIN )?` + pattern + `\b`).MatchString(text)
}
