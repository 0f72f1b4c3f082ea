package bind_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/route"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// seeds are the inputs of the golden files.
func seeds(f *testing.F) {
	f.Helper()
	paths, err := filepath.Glob("testdata/golden/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for part := range strings.SplitSeq(string(text), "\n\n") {
			_, input, _ := strings.Cut(part, "\n")
			input, _, _ = strings.Cut(input, "\n----")
			f.Add(input)
		}
	}
}

// FuzzCompile: whatever the text is, every statement gets a route and a plan or an error for the client,
// and what goes home is SQL that home can read.
func FuzzCompile(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		statements, err := parse.Split(text)
		if err != nil {
			return
		}
		snap := world("kafka")
		characters := utf8.RuneCountInString(text)
		for i := range statements {
			st := &statements[i]
			bind.Requirements(st)
			bind.More(st, snap)
			route.Of(st, bind.Managed(snap))
			p, err := bind.Compile(st, snap, systems(), bind.Settings{AllowDestructive: true})
			if checkError(t, text, err, characters) {
				checkPlan(t, p)
			}
			if rw, err := bind.HomeText(st, snap); checkError(t, text, err, characters) && st.Node != nil && st.Table == nil {
				checkSQL(t, rw.Text())
			}
			if r, err := bind.ReadPlan(st, snap, nil); checkError(t, text, err, characters) {
				checkSQL(t, r.Query("(SELECT 1)").Text())
			}
			if w, err := bind.WritePlan(st, snap, nil); checkError(t, text, err, characters) {
				checkSQL(t, w.Rows.Text())
			}
		}
	})
}

// checkError tells whether there was none.
func checkError(t *testing.T, text string, err error, characters int) bool {
	t.Helper()
	if err == nil {
		return true
	}
	e := sqlerr.From(err)
	if !errors.Is(err, bind.ErrNotManaged) && e.Code == sqlerr.InternalError {
		t.Fatalf("%q: %v", text, err)
	}
	if e.Position < 0 || e.Position > characters+1 {
		t.Fatalf("%q: position %d of %d: %v", text, e.Position, characters, err)
	}
	return false
}

func checkPlan(t *testing.T, p *plan.Plan) {
	t.Helper()
	for _, h := range p.Home {
		checkSQL(t, h.SQL)
	}
	for _, format := range []plan.Format{plan.TextFormat, plan.JSONFormat, plan.YAMLFormat} {
		if _, err := plan.Explain(p, format, plan.Extra{}); err != nil {
			t.Fatalf("explain %s: %v", format, err)
		}
	}
}

func checkSQL(t *testing.T, sql string) {
	t.Helper()
	tree, err := pg_query.Parse(sql)
	if err != nil {
		t.Fatalf("home cannot read %q: %v", sql, err)
	}
	if len(tree.GetStmts()) != 1 {
		t.Fatalf("%d statements: %q", len(tree.GetStmts()), sql)
	}
}
