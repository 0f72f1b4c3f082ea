package bind_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// TestGolden runs the scripts of testdata/golden: what the statements of a text compile to.
func TestGolden(t *testing.T) {
	t.Parallel()
	datadriven.Walk(t, "testdata/golden", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var searchPath []string
			if d.HasArg("path") {
				var schema string
				d.ScanArgs(t, "path", &schema)
				searchPath = []string{schema, "public"}
			}
			return golden(t, d, world(searchPath...))
		})
	})
}

func golden(t *testing.T, d *datadriven.TestData, snap *catalog.Snapshot) string {
	t.Helper()
	statements, err := parse.Split(d.Input)
	if err != nil {
		return "split: " + errorText(d.Input, err)
	}
	var b strings.Builder
	for i := range statements {
		st := &statements[i]
		switch d.Cmd {
		case "compile":
			p, err := bind.Compile(st, snap, systems(), bind.Settings{AllowDestructive: d.HasArg("destructive")})
			if err != nil {
				b.WriteString(errorText(d.Input, err))
				continue
			}
			printPlan(t, &b, p)
		case "explain":
			if st.Extension == nil {
				continue
			}
			printExplained(t, &b, d.Input, st, snap, d.HasArg("destructive"))
		case "read":
			printRead(t, &b, d.Input, st, snap)
		case "write":
			printWrite(t, &b, d.Input, st, snap)
		case "home":
			rw, err := bind.HomeText(st, snap)
			if err != nil {
				b.WriteString(errorText(d.Input, err))
				continue
			}
			fmt.Fprintf(&b, "%s\n", rw.Text())
		case "needs":
			fmt.Fprintf(&b, "%s\n", needsText(bind.Requirements(st)))
			if more := bind.More(st, snap); !more.Empty() {
				fmt.Fprintf(&b, "more %s\n", needsText(more))
			}
		default:
			d.Fatalf(t, "unknown command %q", d.Cmd)
		}
	}
	return b.String()
}

func needsText(n bind.Needs) string {
	return fmt.Sprintf("catalogs %q schemas %q relations %q all in %q all of %q types %q%s",
		n.Catalogs, n.Schemas, n.Relations, n.AllIn, n.AllOf, n.Types, flag(n.Brief, " brief"))
}

func printPlan(t *testing.T, b *strings.Builder, p *plan.Plan) {
	t.Helper()
	fmt.Fprintf(b, "%s %s uid=%s locks=%q waits=%t record=%t\n", p.Tag, p.Target, p.TargetUID, p.Locks, p.Waits, p.Record)
	if len(p.Hash) != 64 {
		t.Errorf("hash %q", p.Hash)
	}
	if p.WaitJob != "" {
		fmt.Fprintf(b, "  waits for job %s\n", p.WaitJob)
	}
	for _, h := range p.Home {
		fmt.Fprintf(b, "  home%s%s: %s\n", flag(h.Own, " own"), flag(h.Ticket, " ticket"), h.SQL)
		if _, err := pg_query.Parse(h.SQL); err != nil {
			t.Errorf("home cannot read %s: %v", h.SQL, err)
		}
	}
	for _, s := range p.Steps {
		printStep(b, s)
		for _, r := range s.Target.Renames {
			fmt.Fprintf(b, "    renames %s to %s\n", r.From, r.To)
		}
		if s.Target.NewPath != nil {
			fmt.Fprintf(b, "    new path %q\n", s.Target.NewPath)
		}
	}
	if c := p.Shadow; !c.Empty() {
		fmt.Fprintf(b, "  shadow %s path %q managed %t options %t keys %t\n", c.Relation, c.Path, c.Managed != nil, c.Options != nil, c.ForeignKeys != nil)
	}
	for _, sql := range p.Restore {
		fmt.Fprintf(b, "  restore: %s\n", sql)
	}
	for _, n := range p.Notices {
		fmt.Fprintf(b, "  %s %s: %s\n    %s\n", n.Severity, n.Code, n.Message, n.Detail)
	}
	for _, s := range p.Secrets {
		fmt.Fprintf(b, "  secret %s/%s = %s\n", s.Ref.Name, s.Ref.Key, s.Value)
	}
	for _, r := range p.Forget {
		fmt.Fprintf(b, "  forget %s/%s\n", r.Name, r.Key)
	}
	if len(p.Settings) > 0 {
		fmt.Fprintf(b, "  settings %s\n", optionsText(p.Settings))
	}
	fmt.Fprintf(b, "  statement %s\n", p.Statement)
}

// printExplained shows an EXPLAIN as a client would get it.
func printExplained(t *testing.T, b *strings.Builder, text string, st *parse.Statement, snap *catalog.Snapshot, destructive bool) {
	t.Helper()
	p, err := bind.Compile(st, snap, systems(), bind.Settings{AllowDestructive: destructive})
	if err != nil {
		b.WriteString(errorText(text, err))
		return
	}
	p.Hash = "the hash"
	extra := plan.Extra{Steps: map[string]plan.StepExtra{}}
	for _, s := range p.Steps {
		x := plan.StepExtra{Calls: []string{"call one", "call two"}, Observed: &plan.Observed{}}
		switch {
		case s.Destructive:
			x.Observed = &plan.Observed{Exists: true, Differences: []string{"column note: missing"}, Destructive: true}
		case s.Path == plan.Slow:
			x.Manifest = "kind: TableProvisionJob\nspec:\n  operation: Create\n"
			x.Observed = &plan.Observed{Error: "no answer"}
		case s.Action == plan.Open:
			x.Observed = &plan.Observed{Exists: true, UpToDate: true}
		}
		extra.Steps[s.ID] = x
	}
	explained, err := plan.Explain(p, plan.Format(st.Extension.(*parse.Explain).Format), extra)
	if err != nil {
		t.Fatal(err)
	}
	b.WriteString(explained + "\n")
}

func printRead(t *testing.T, b *strings.Builder, text string, st *parse.Statement, snap *catalog.Snapshot) {
	t.Helper()
	r, err := bind.ReadPlan(st, snap, nil)
	if err != nil {
		b.WriteString(errorText(text, err))
		return
	}
	fmt.Fprintf(b, "%s rowwise=%t columns %s\n", r.Name, r.RowWise, columnsText(r.Columns))
	for _, f := range r.Filters {
		fmt.Fprintf(b, "  filter %s %s %q param %d\n", f.Column.Name, f.Op, f.Value, f.Param)
	}
	fmt.Fprintf(b, "  home  %s\n  query %s\n", r.Home.Text(), r.Query("(SELECT 1)").Text())
	checkReadable(t, r.Home.Text())
	checkReadable(t, r.Query("(SELECT 1)").Text())
	checkReadable(t, r.Query("pg_temp.tw_1").Text())
}

func printWrite(t *testing.T, b *strings.Builder, text string, st *parse.Statement, snap *catalog.Snapshot) {
	t.Helper()
	w, err := bind.WritePlan(st, snap, nil)
	if err != nil {
		b.WriteString(errorText(text, err))
		return
	}
	fmt.Fprintf(b, "%s columns %s\n  home %s\n  rows %s\n", w.Name, columnsText(w.Columns), w.Home.Text(), w.Rows.Text())
	checkReadable(t, w.Home.Text())
	checkReadable(t, w.Rows.Text())
}

func columnsText(columns []catalog.Column) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return strings.Join(names, ",")
}

func checkReadable(t *testing.T, sql string) {
	t.Helper()
	if _, err := pg_query.Parse(sql); err != nil {
		t.Errorf("home cannot read %s: %v", sql, err)
	}
}

func flag(set bool, text string) string {
	if set {
		return text
	}
	return ""
}

func printStep(b *strings.Builder, s plan.Step) {
	fmt.Fprintf(b, "  step %q %s %s in %s %s%s\n", s.ID, s.Action, s.Target.Kind, s.Catalog.Name, s.Path, flag(s.Destructive, " destructive"))
	if s.Deadline > 0 {
		fmt.Fprintf(b, "    deadline %s\n", s.Deadline)
	}
	if len(s.DependsOn) > 0 {
		fmt.Fprintf(b, "    after %q\n", s.DependsOn)
	}
	if len(s.Target.Path) > 0 {
		fmt.Fprintf(b, "    path %q identity %q by %s\n", s.Target.Path, s.Target.Identity, s.Target.RequestedBy)
	}
	if s.Target.Kind == plan.CatalogKind {
		fmt.Fprintf(b, "    type %s options %s\n", s.Catalog.Type, optionsText(s.Catalog.Options))
	}
	t := s.Target.Table
	for _, c := range t.Columns {
		fmt.Fprintf(b, "    %s %s%s%s%s\n", c.Name, c.Type, flag(c.NotNull, " not null"),
			flag(c.Default != "", " default "+c.Default), flag(c.Identity != "", " identity "+c.Identity))
	}
	if len(t.PrimaryKey) > 0 {
		fmt.Fprintf(b, "    key %q\n", t.PrimaryKey)
	}
	for _, c := range t.Constraints {
		fmt.Fprintf(b, "    %s %q %s\n", c.Kind, c.Name, c.Definition)
	}
	for _, p := range t.Partitioning {
		fmt.Fprintf(b, "    partition %s %q %q\n", p.Transform, p.Columns, p.Args)
	}
	if len(t.Options) > 0 {
		fmt.Fprintf(b, "    options %s\n", optionsText(t.Options))
	}
}

func optionsText(options catalog.Options) string {
	texts := make([]string, len(options))
	for i, o := range options {
		texts[i] = o.Name + "=" + o.Value + o.Reference
		if o.SecretRef != nil {
			texts[i] += "secret " + o.SecretRef.Name + "/" + o.SecretRef.Key
		}
	}
	return strings.Join(texts, " ")
}

// errorText shows the character that the position points at.
func errorText(text string, err error) string {
	if errors.Is(err, bind.ErrNotManaged) {
		return "not managed\n"
	}
	e := sqlerr.From(err)
	line := fmt.Sprintf("%s: %s", e.Code, e.Message)
	if e.Position > 0 {
		runes := []rune(text)
		at := min(e.Position-1, len(runes))
		line += fmt.Sprintf(" at %d %q", e.Position, string(runes[at:min(at+12, len(runes))]))
	}
	if e.Detail != "" {
		line += "\n  detail: " + strings.ReplaceAll(e.Detail, "\n", "\n    ")
	}
	if e.Hint != "" {
		line += "\n  hint: " + e.Hint
	}
	return line + "\n"
}
