package home_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/home/hometest"
)

// A snapshot holds what the session sees, uncommitted changes and temporary tables included.
func TestSnapshot(t *testing.T) {
	ctx := t.Context()
	w := newWorld(t)
	lake := "lake" + w.cat
	mustRun(t, w, `create type public.{c}_mood as enum ('sad'); create domain public.{c}_dom as numeric(5,2); create table public.{c}_plain (a {c}_dom)`)
	w.ticketed(t, "create server "+lake+" foreign data wrapper iceberg options (uri 'http://x', token 'secret:lake/token', warehouse 'file:///w', password 'file:/run/p', region 'env:REGION')")
	w.ticketed(t, `create schema "`+lake+`.sales"`)
	mustRun(t, w, "begin")
	table := `"` + lake + `.sales".orders`
	w.ticketed(t, "create table "+table+" (id bigint generated always as identity primary key, price numeric(10,2) not null default 1.5, "+
		"at timestamptz, tags text[], twice int generated always as (2) stored, m public."+w.cat+"_mood, unique (at), constraint pos check (price > 0))")
	w.ticketed(t, "comment on table "+table+" is 'all orders'")
	w.ticketed(t, "comment on column "+table+".at is 'when'")
	mustRun(t, w, `create view public.{c}_over as select id from `+table)
	job, identity := "0197f0a0-0000-7000-8000-000000000000", "uid-1"
	options := catalog.Options{{Name: "format_version", Value: "2"}, {Name: "key", SecretRef: &catalog.SecretKeyRef{Name: "a", Key: "b"}}, {Name: "ref", Reference: "env:X"}}
	partitioning := []catalog.Transform{{Transform: "bucket", Columns: []string{"id"}, Args: []string{"16"}}}
	keys := []catalog.Constraint{{Name: "fk", Kind: catalog.ForeignKey, Definition: "FOREIGN KEY (id) REFERENCES o(id)"}}
	patch := home.RelationPatch{
		Path: []string{"s", "Orders"}, State: "failed", JobID: &job, Identity: &identity, Options: &options,
		Partitioning: &partitioning, ForeignKeys: &keys, Observed: new(true),
	}
	statement, err := patch.Statement(table)
	if err != nil {
		t.Fatal(err)
	}
	w.ticketed(t, statement)
	mustRun(t, w, `create temp table {c}_plain (b int); set local search_path = "`+lake+`.sales", public`)
	got, err := home.ReadSnapshot(ctx, w.alice, home.Wanted{
		Catalogs: []string{lake, "missing"}, Schemas: []string{lake + ".sales", "public", "missing"},
		Relations: []home.RelationName{{Name: "orders"}, {Schema: lake + ".sales", Name: "orders"}, {Name: w.cat + "_plain"}, {Name: "missing"}, {Schema: "missing", Name: "x"}},
		Types:     []string{w.cat + "_mood", "int4", "missing", "public." + w.cat + "_dom"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var temp string
	for key, r := range got.Relations {
		if r.HomeName == w.cat+"_plain" {
			temp = key
		}
	}
	want := &catalog.Snapshot{
		Database: "tablewright", User: w.role, SearchPath: []string{lake + ".sales", "public"},
		Catalogs: map[string]catalog.Catalog{lake: {
			Name: lake, Type: "iceberg", Generation: 1, Owner: w.role,
			Options: catalog.Options{
				{Name: "uri", Value: "http://x"},
				{Name: "token", SecretRef: &catalog.SecretKeyRef{Name: "lake", Key: "token"}},
				{Name: "warehouse", Value: "file:///w"},
				{Name: "password", Reference: "file:/run/p"},
				{Name: "region", Reference: "env:REGION"},
			},
		}},
		Schemas: map[string]catalog.Schema{
			lake + ".sales":                {Name: lake + ".sales", Owner: w.role, Catalog: lake},
			"public":                       {Name: "public", Owner: "pg_database_owner"},
			got.Relations[temp].HomeSchema: {Name: got.Relations[temp].HomeSchema, Owner: "tablewright"},
		},
		Relations: map[string]catalog.Relation{
			temp: {
				HomeSchema: got.Relations[temp].HomeSchema, HomeName: w.cat + "_plain", Kind: 'r', Owner: w.role,
				Table: catalog.Table{Columns: []catalog.Column{{Name: "b", Type: "integer"}}},
			},
			catalog.HomeKey(lake+".sales", "orders"): {
				HomeSchema: lake + ".sales", HomeName: "orders", Kind: 'r', Owner: w.role, Managed: true, Observed: true, Catalog: lake,
				Path: []string{"s", "Orders"}, Identity: identity, State: "failed", JobID: job,
				Dependents: []string{"view public." + w.cat + "_over"},
				Table: catalog.Table{
					Name: catalog.Name{Catalog: lake, Schema: "sales", Table: "orders"}, PrimaryKey: []string{"id"}, KeyName: "orders_pkey", Comment: "all orders",
					Columns: []catalog.Column{
						{Name: "id", Type: "bigint", NotNull: true, Identity: "ALWAYS"},
						{Name: "price", Type: "numeric(10,2)", NotNull: true, Default: "1.5"},
						{Name: "at", Type: "timestamp with time zone", Comment: "when"},
						{Name: "tags", Type: "text[]"},
						{Name: "twice", Type: "integer"},
						{Name: "m", Type: "public." + w.cat + "_mood"},
					},
					Constraints: []catalog.Constraint{
						{Name: "orders_at_key", Kind: catalog.Unique, Definition: "UNIQUE (at)"},
						{Name: "pos", Kind: catalog.Check, Definition: "CHECK ((price > (0)::numeric))"},
						keys[0],
					},
					Partitioning: partitioning, Options: options,
				},
			},
		},
		Types: map[string]catalog.TypeInfo{
			w.cat + "_mood": {Name: "public." + w.cat + "_mood", Kind: 'e'}, "int4": {Name: "integer", Kind: 'b'},
			"public." + w.cat + "_dom": {Name: "public." + w.cat + "_dom", Kind: 'd', Base: "numeric(5,2)"},
		},
	}
	ignore := []cmp.Option{
		cmpopts.EquateEmpty(), cmpopts.IgnoreFields(catalog.Relation{}, "OID"), cmpopts.IgnoreFields(catalog.Schema{}, "OID"), cmpopts.IgnoreFields(catalog.Catalog{}, "OID"),
	}
	if diff := cmp.Diff(want, got, ignore...); diff != "" {
		t.Errorf("snapshot (-want +got):\n%s", diff)
	}
	mustRun(t, w, "rollback")
	all, err := home.ReadSnapshot(ctx, w.alice, home.Wanted{AllIn: []string{w.cat}})
	if err != nil || len(all.Relations) != 1 || len(all.Catalogs) != 1 || all.Relations[w.table].OID == 0 {
		t.Errorf("all of %s: %+v, %v", w.cat, all, err)
	}
}

// Operators and functions of the user do not get between the gateway and the catalogue.
func TestSnapshotIgnoresTheSearchPath(t *testing.T) {
	w := newWorld(t)
	mustRun(t, w, `create schema {r}; create function {r}.eq(oid, oid) returns boolean language sql as 'select false';
		create operator {r}.= (leftarg = oid, rightarg = oid, function = {r}.eq);
		create function {r}.current_schemas(boolean) returns name[] language sql as 'select array[]::name[]';
		create function {r}.format_type(oid, int) returns text language sql as $$select 'fake'$$;
		set search_path = {r}, {c}, pg_catalog`)
	got, err := home.ReadSnapshot(t.Context(), w.alice, home.Wanted{Relations: []home.RelationName{{Name: "orders"}}})
	if err != nil {
		t.Fatal(err)
	}
	if r := got.Relations[w.table]; !r.Managed || r.Table.Columns[0].Type != "integer" {
		t.Errorf("relation %+v", r)
	}
}

func TestNamesAndListen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	changed := make(chan struct{}, 1000)
	ended := make(chan error, 1)
	go func() { ended <- shared.Listen(ctx, func() { changed <- struct{}{} }) }()
	hear := func(why string) {
		t.Helper()
		select {
		case <-changed:
		case <-time.After(10 * time.Second):
			t.Fatalf("nothing heard of %s", why)
		}
		time.Sleep(50 * time.Millisecond) // one statement may tell more than once
		for len(changed) > 0 {
			<-changed
		}
	}
	hear("the connection")
	w := newWorld(t)
	hear("a catalog")
	names, err := shared.Managed(ctx)
	if err != nil || !slices.Contains(names.Catalogs, w.cat) || !slices.Contains(names.Schemas, w.cat) || !slices.Contains(names.Relations, "orders") {
		t.Errorf("names %+v, %v", names, err)
	}
	w.ticketed(t, w.sql("alter table {t} rename to renamed"))
	hear("a rename")
	if names, err := shared.Managed(ctx); err != nil || !slices.Contains(names.Relations, "renamed") {
		t.Errorf("names %+v, %v", names, err)
	}
	exec(t, "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%'")
	hear("a new connection")
	mustRun(t, w, "begin")
	w.ticketed(t, w.sql("create table {c}.rolled (a int)"))
	mustRun(t, w, "rollback; create table public.{c}_home (a int)")
	select {
	case <-changed:
		t.Error("heard of what was not committed, or of a home table")
	case <-time.After(100 * time.Millisecond):
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("end of the listening: %v", err)
	}
}

func TestPatchOnThePool(t *testing.T) {
	w := newWorld(t)
	var oid uint32
	if err := shared.Pool().QueryRow(t.Context(), "select $1::text::regclass::oid", w.table).Scan(&oid); err != nil {
		t.Fatal(err)
	}
	if err := shared.PatchRelation(t.Context(), oid, home.RelationPatch{State: "ready", JobID: new("")}); err != nil {
		t.Fatal(err)
	}
	if got := query(t, "select concat_ws(' ', state, job_id) from tablewright.relation where oid = $1", oid); got != "ready" {
		t.Errorf("registry %s", got)
	}
	if err := shared.PatchRelation(t.Context(), 1, home.RelationPatch{State: "ready"}); hometest.Code(err) != "42P01" {
		t.Errorf("no such relation: %v", err)
	}
	if err := shared.PatchRelation(t.Context(), oid, home.RelationPatch{State: "nonsense"}); hometest.Code(err) != "23514" {
		t.Errorf("no such state: %v", err)
	}
}
