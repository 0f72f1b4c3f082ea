//go:build regress

package transparency

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// suiteVariable names the folder of PostgreSQL's own regression suite, src/test/regress of its source.
const suiteVariable = "REGRESS_SUITE"

// ruled are the files that have to differ. Each holds statements that the gateway answers in another way on purpose
// (see testdata/different); what follows from those differs too.
var ruled = map[string]string{
	"database":    "makes a database and goes on with it",
	"create_role": "tries to make a database",
	"errors":      "mistypes keywords, which gets a hint",
	"password":    "has passwords kept as MD5, of which the gateway keeps SCRAM verifiers",
	"largeobject": "uses psql's commands for large objects, which are function calls of the protocol",
}

// copyNotices are notices that the server sends right behind the answer that begins a COPY. When psql finds both in
// one read it shows the line of the COPY, else the one that it has read up to: the bytes are the same, and no side
// can say how they arrive. Seen either way on either side.
var (
	copyNotices = regexp.MustCompile(`(?mi)^copy [^\n]* from stdin;\n(?:psql:\S+:\d+: NOTICE:  [^\n]*\n)+`)
	noticeLine  = regexp.MustCompile(`(?m)^(psql:\S+:)\d+(: NOTICE: )`)
)

// withoutCopyLines takes the line numbers out of such notices.
func withoutCopyLines(output string) string {
	return copyNotices.ReplaceAllStringFunc(output, func(notices string) string {
		return noticeLine.ReplaceAllString(notices, "${1}LINE${2}")
	})
}

// The sql files of PostgreSQL's regression suite, in the order of its schedule and each beginning where the one
// before it ended, give through one gateway what they give directly on the server of another.
func TestRegressionSuite(t *testing.T) {
	suite := os.Getenv(suiteVariable)
	files := schedule(t, suite)
	direct := runSuite(t, suite, files, (*gateway).direct)
	through := runSuite(t, suite, files, (*gateway).through)
	equal := 0
	for i, file := range files {
		t.Run(file, func(t *testing.T) {
			diff := cmp.Diff(strings.Split(direct[i], "\n"), strings.Split(through[i], "\n"))
			why, differs := ruled[file]
			switch {
			case diff == "" && differs:
				t.Errorf("is the same, though it %s", why)
			case diff != "" && !differs:
				t.Errorf("(-directly +through the gateway):\n%s", diff)
			case diff != "":
				t.Logf("differs since it %s (-directly +through the gateway):\n%s", why, diff)
			default:
				equal++
			}
		})
	}
	t.Logf("%d files, %d equal", len(files), equal)
}

// schedule reads the order in which the suite's files are run.
func schedule(t *testing.T, suite string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(suite, "parallel_schedule"))
	if err != nil {
		t.Fatalf("%s must name the folder src/test/regress of PostgreSQL's source: %v", suiteVariable, err)
	}
	var files []string
	for line := range strings.Lines(string(text)) {
		names, ok := strings.CutPrefix(line, "test:")
		if ok {
			files = append(files, strings.Fields(names)...)
		}
	}
	return files
}

// runSuite runs all files on one side of a gateway of its own and returns what psql printed for each.
func runSuite(t *testing.T, suite string, files []string, choose func(*gateway) side) []string {
	t.Helper()
	g, err := startGateway(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := g.stop(); err != nil {
			t.Error(err)
		}
	}()
	if err := g.prepareSuite(t.Context()); err != nil {
		t.Fatal(err)
	}
	built := t.TempDir()
	if err := os.Mkdir(filepath.Join(built, "results"), 0o700); err != nil {
		t.Fatal(err)
	}
	env := []string{
		"PG_ABS_SRCDIR=" + suite, "PG_ABS_BUILDDIR=" + built, "PG_LIBDIR=" + suite, "PG_DLSUFFIX=.so",
		"PGTZ=PST8PDT", "PGDATESTYLE=Postgres, MDY",
	}
	on := choose(g)
	outputs := make([]string, len(files))
	for i, file := range files {
		out, err := on.run(t.Context(), built, env, []string{
			"-a", "-q", "-v", "HIDE_TABLEAM=on", "-v", "HIDE_TOAST_COMPRESSION=on", "-f", filepath.Join(suite, "sql", file+".sql"),
		})
		if err != nil {
			out = fmt.Sprintf("%s: %v", on.name, err)
		}
		out = strings.NewReplacer(built, "BUILD", g.Dir, "DATA").Replace(out)
		outputs[i] = withoutCopyLines(normalise(out))
	}
	return outputs
}

// prepareSuite makes the role that the suite runs as: no superuser, which the gateway lets nobody be, but a
// member of every role that PostgreSQL has for what superusers do.
func (g *gateway) prepareSuite(ctx context.Context) error {
	var roles string
	err := g.root.QueryRow(ctx, "select string_agg(quote_ident(rolname), ', ') from pg_roles where rolname ~ '^pg_' and rolname <> 'pg_database_owner'").Scan(&roles)
	if err != nil {
		return err
	}
	if err := g.freshRole(ctx, "createrole createdb", strings.Split(roles, ", ")); err != nil {
		return err
	}
	_, err = g.root.Exec(ctx, `
		grant all on database `+database+` to `+writer+`;
		grant all on schema public to `+writer+` with grant option;
		drop schema `+writer+`;
		alter database `+database+` set bytea_output = 'hex';
		alter database `+database+` set timezone_abbreviations = 'Default'`)
	return err
}
