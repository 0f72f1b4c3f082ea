package postgres_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// fullTable uses everything that a definition may hold.
func fullTable() plan.Resource {
	r := orders(
		catalog.Column{Name: "id", Type: "bigint", NotNull: true, Identity: "BY DEFAULT"},
		catalog.Column{Name: "region", Type: "text", NotNull: true, Default: "'eu'", Comment: "where it's from"},
		catalog.Column{Name: "price", Type: "numeric(10,2)", Default: "1 + 1"},
		catalog.Column{Name: "at", Type: "timestamp with time zone", Default: "now()"},
		catalog.Column{Name: "day", Type: "date", Default: "date '2024-01-01'"},
		catalog.Column{Name: "tags", Type: "text[]", Default: "ARRAY[]::text[]"},
		catalog.Column{Name: "neg", Type: "integer", Default: "-5"},
		catalog.Column{Name: "code", Type: "character varying(5)", Default: "upper('a' || 'b')"},
		catalog.Column{Name: "flag", Type: "boolean", Default: "true"},
		catalog.Column{Name: "json", Type: "jsonb", Default: `'{"a": "it''s"}'`},
	)
	r.Table.Comment = `back\slash and 'quote'`
	r.Table.PrimaryKey = []string{"id"}
	r.Table.Constraints = []catalog.Constraint{
		{Name: "price_ok", Kind: catalog.Check, Definition: "CHECK (price>0 and price < 1000)"},
		{Kind: catalog.Check, Definition: "CHECK (neg < 0)"},
		{Name: "u", Kind: catalog.Unique, Definition: "UNIQUE (region, code)"},
		{Kind: catalog.ForeignKey, Definition: "FOREIGN KEY (region) REFERENCES public.regions ON DELETE CASCADE"},
		{Kind: catalog.ForeignKey, Definition: "FOREIGN KEY (code) REFERENCES public.regions (name)"},
	}
	r.Table.Options = catalog.Options{{Name: "fillfactor", Value: "70"}}
	return r
}

func TestFullDefinition(t *testing.T) {
	s := newSystem(t)
	p := s.open(t, s.Catalog)
	if err := s.exec(t.Context(), "CREATE TABLE public.regions (name text PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	r := fullTable()
	if err := s.Opener.Check(s.Catalog, r); err != nil {
		t.Fatalf("check: %v", err)
	}
	made, err := p.Create(t.Context(), r, provision.Call{})
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	// ON DELETE CASCADE without columns cannot be matched by text; everything else is.
	want := []string{
		"constraint FOREIGN KEY (region) REFERENCES public.regions ON DELETE CASCADE is missing",
		"constraint orders_region_fkey is not in the definition",
	}
	if d := cmp.Diff(want, made.Diff); d != "" {
		t.Fatalf("differences (-want +got):\n%s", d)
	}
	r.Table.Constraints[3].Definition = "FOREIGN KEY (region) REFERENCES public.regions(name) ON DELETE CASCADE"
	seen, err := p.Observe(t.Context(), r)
	if err != nil || !seen.UpToDate {
		t.Fatalf("a fresh table is not up to date: %v, %v", seen.Diff, err)
	}
	if got := seen.Found.PrimaryKey; !slices.Equal(got, []string{"id"}) {
		t.Fatalf("primary key is %v", got)
	}
	if len(seen.Found.Constraints) != 5 {
		t.Fatalf("constraints are %+v", seen.Found.Constraints)
	}
}

func TestConverges(t *testing.T) {
	s := newSystem(t)
	p := s.open(t, s.Catalog)
	if err := s.exec(t.Context(), "CREATE TABLE public.regions (name text PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	bare := orders(
		catalog.Column{Name: "id", Type: "integer"}, catalog.Column{Name: "price", Type: "numeric(5,2)", Default: "3"},
		catalog.Column{Name: "flag", Type: "boolean", NotNull: true, Default: "false"},
	)
	bare.Table.Options = catalog.Options{{Name: "autovacuum_enabled", Value: "false"}}
	if _, err := p.Create(t.Context(), bare, provision.Call{}); err != nil {
		t.Fatalf("create: %v", err)
	}
	full := fullTable()
	full.Table.Constraints[3].Definition = "FOREIGN KEY (region) REFERENCES public.regions(name) ON DELETE CASCADE"
	for _, wanted := range []plan.Resource{full, bare} {
		seen, err := p.Observe(t.Context(), wanted)
		if err != nil {
			t.Fatalf("observe: %v", err)
		}
		if err := p.Update(t.Context(), wanted, seen, provision.Call{}); err != nil {
			t.Fatalf("update: %v; differences were %v", err, seen.Diff)
		}
		after, err := p.Observe(t.Context(), wanted)
		if err != nil || !after.UpToDate {
			t.Fatalf("after update: %v, %v", after.Diff, err)
		}
	}
}

func TestPartitioning(t *testing.T) {
	s := newSystem(t)
	p := s.open(t, s.Catalog)
	r := orders(catalog.Column{Name: "Day", Type: "date"}, catalog.Column{Name: "id", Type: "integer"})
	r.Table.Partitioning = []catalog.Transform{{Transform: "range", Columns: []string{"Day", "id"}}}
	made, err := p.Create(t.Context(), r, provision.Call{})
	if err != nil || !made.UpToDate {
		t.Fatalf("create: %v, %v", made.Diff, err)
	}
	other := r
	other.Table.Partitioning = nil
	seen, err := p.Observe(t.Context(), other)
	if err != nil || !seen.Destructive {
		t.Fatalf("other partitioning: %+v, %v", seen, err)
	}
	err = p.Update(t.Context(), other, seen, provision.Call{})
	checkCode(t, "update of the partitioning", err, sqlerr.FeatureNotSupported)
	r.Table.Partitioning = []catalog.Transform{{Transform: "days", Columns: []string{"Day"}}}
	checkCode(t, "iceberg's partitioning", s.Opener.Check(s.Catalog, r), sqlerr.FeatureNotSupported)
}

func checkCode(t *testing.T, what string, err error, code string) *sqlerr.Error {
	t.Helper()
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("%s: %v, want %s", what, err, code)
	}
	return e
}

func TestDependents(t *testing.T) {
	s := newSystem(t)
	p := s.open(t, s.Catalog)
	r := orders()
	made, err := p.Create(t.Context(), r, provision.Call{})
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	// What others do to the table leaves its identity alone.
	others := `CREATE VIEW public.report AS SELECT id FROM public.orders;
		GRANT SELECT ON public.orders TO pg_monitor; CREATE INDEX ON public.orders (id);
		ALTER TABLE public.orders ADD COLUMN more text; ANALYZE public.orders; VACUUM FREEZE public.orders`
	for statement := range strings.SplitSeq(others, ";") {
		if err := s.exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	r.Identity = made.Identity
	e := checkCode(t, "delete of a table that a view needs", p.Delete(t.Context(), r, provision.Call{}), sqlerr.DependentObjectsStillExist)
	if want := "view public.report depends on table public.orders"; e.Detail != want {
		t.Fatalf("detail is %q, want %q", e.Detail, want)
	}
	if err := s.exec(t.Context(), "DROP VIEW public.report"); err != nil {
		t.Fatal(err)
	}
	if err := p.Delete(t.Context(), r, provision.Call{}); err != nil {
		t.Fatalf("delete: %v", err)
	}
}

// A definition cannot smuggle a second statement.
func TestOneStatementOnly(t *testing.T) {
	s := newSystem(t)
	p := s.open(t, s.Catalog)
	if err := s.exec(t.Context(), "CREATE TABLE public.victim (id integer)"); err != nil {
		t.Fatal(err)
	}
	r := orders(catalog.Column{Name: "id", Type: "integer", Default: "1); DROP TABLE public.victim; --"})
	_, err := p.Create(t.Context(), r, provision.Call{})
	checkCode(t, "create with a default that ends the statement", err, sqlerr.SyntaxError)
	r = orders(catalog.Column{Name: "id", Type: "integer); DROP TABLE public.victim; --"})
	checkCode(t, "check of a type that ends the statement", s.Opener.Check(s.Catalog, r), sqlerr.InvalidParameterValue)
	if err := s.exec(t.Context(), "TABLE public.victim"); err != nil {
		t.Fatalf("the victim: %v", err)
	}
}

func TestRemoteErrorsKeepTheirCode(t *testing.T) {
	s := newSystem(t)
	p := s.open(t, s.Catalog)
	_, err := p.Create(t.Context(), orders(catalog.Column{Name: "id", Type: "mood"}), provision.Call{})
	checkCode(t, "unknown type", err, sqlerr.UndefinedObject)
	r := orders(catalog.Column{Name: "id", Type: "integer"})
	r.Table.PrimaryKey = []string{"id"}
	if _, err := p.Create(t.Context(), r, provision.Call{}); err != nil {
		t.Fatalf("create: %v", err)
	}
	rows := [][][]byte{{[]byte("1")}, {[]byte("1")}}
	_, err = p.(provision.Writer).Write(t.Context(), r, r.Table.Columns, rows)
	if e := checkCode(t, "duplicate key", err, "23505"); e.Constraint != "orders_pkey" || e.Detail == "" {
		t.Fatalf("error is %+v", e)
	}
	always := catalog.Column{Name: "id", Type: "integer", Identity: "ALWAYS"}
	_, err = p.(provision.Writer).Write(t.Context(), r, []catalog.Column{always}, rows)
	checkCode(t, "value for GENERATED ALWAYS", err, "428C9")
	view := orders()
	view.Path = []string{"public", "v"}
	if err := s.exec(t.Context(), "CREATE VIEW public.v AS SELECT 1 AS id"); err != nil {
		t.Fatal(err)
	}
	checkCode(t, "delete of a view", p.Delete(t.Context(), view, provision.Call{}), sqlerr.WrongObjectType)
	o, err := p.Observe(t.Context(), view)
	if err != nil || !o.Exists || o.UpToDate || len(o.Found.Columns) != 1 {
		t.Fatalf("a view is observed as %+v, %v", o, err)
	}
}

func TestDefaultsOnly(t *testing.T) {
	s := newSystem(t)
	p := s.open(t, s.Catalog)
	r := orders(catalog.Column{Name: "id", Type: "integer", Default: "7"})
	if _, err := p.Create(t.Context(), r, provision.Call{}); err != nil {
		t.Fatalf("create: %v", err)
	}
	n, err := p.(provision.Writer).Write(t.Context(), r, nil, [][][]byte{{}, {}})
	if err != nil || n != 2 {
		t.Fatalf("write of no columns: %d, %v", n, err)
	}
	rows, err := s.rows(t.Context(), r.Path, []string{"id"})
	if err != nil || len(rows) != 2 || *rows[1][0] != "7" {
		t.Fatalf("rows are %v, %v", rows, err)
	}
}
