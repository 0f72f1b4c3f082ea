package route_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/route"
)

var update = flag.Bool("update", false, "write testdata/routing.md anew")

func TestEveryNodeHasOneRule(t *testing.T) {
	t.Parallel()
	count := map[string]int{}
	for _, rule := range route.Rules() {
		count[rule.Node]++
		if rule.Home == "" || rule.Managed == "" || rule.SQL == "" {
			t.Errorf("rule of %s is not whole: %+v", rule.Node, rule)
		}
	}
	for _, name := range route.NodeNames() {
		if count[name] != 1 {
			t.Errorf("%s has %d rules, want 1", name, count[name])
		}
		delete(count, name)
	}
	if len(count) > 0 {
		t.Errorf("rules of nodes that do not exist: %v", count)
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	const path = "testdata/routing.md"
	got := route.Markdown()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Fatalf("the table changed; run the test with -update (-want +got):\n%s", diff)
	}
}

// managed stands for a catalogue: everything of kafka, lake and "lake.s" is managed.
func managed(n parse.Name) string {
	switch n.Parts[0] {
	case "kafka", "lake", "lake.s":
		return strings.Join(n.Parts, ".")
	default:
		return ""
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		route route.Route
		rows  route.Rows
		err   string // part of the message
	}{
		{"select * from public.t", route.Home, route.NoRows, ""},
		{"select * from lake.s.t", route.HomeRewritten, route.ReadsRows, ""},
		{"select * from lake.s.t a, lake.s.t b", route.HomeRewritten, route.ReadsRows, ""},
		{"select * from lake.s.t a, kafka.t b", route.Refused, route.NoRows, "more than one managed table"},
		{"select * from public.a where exists (select from kafka.t)", route.HomeRewritten, route.ReadsRows, ""},
		{"select * from kafka.t for update", route.Refused, route.NoRows, "FOR UPDATE"},
		{"select * into x from kafka.t", route.Refused, route.NoRows, "SELECT INTO"},
		{"with a as (insert into kafka.t values (1)) select 1", route.Refused, route.NoRows, "WITH that changes rows"},
		{"with a as (insert into t values (1) returning 1) select * from a, kafka.t", route.HomeRewritten, route.ReadsRows, ""},
		{"insert into kafka.t values (1), (2)", route.HomeRewritten, route.WritesRows, ""},
		{"insert into kafka.t default values", route.HomeRewritten, route.WritesRows, ""},
		{"insert into kafka.t select 1", route.Refused, route.NoRows, "INSERT … SELECT"},
		{"insert into t select * from kafka.t", route.Refused, route.NoRows, "INSERT … SELECT"},
		{"insert into kafka.t values (1) on conflict do nothing", route.Refused, route.NoRows, "ON CONFLICT"},
		{"insert into kafka.t values (1) returning a", route.Refused, route.NoRows, "RETURNING"},
		{"insert into kafka.t values ((select 1 from kafka.u))", route.Refused, route.NoRows, "INSERT … SELECT"},
		{"update kafka.t set a = 1", route.Refused, route.NoRows, "UPDATE is not supported on managed object"},
		{"delete from t using kafka.t u", route.Refused, route.NoRows, "DELETE"},
		{"copy kafka.t from stdin", route.Refused, route.NoRows, "COPY FROM"},
		{"copy (select * from kafka.t) to stdout", route.Refused, route.NoRows, "COPY TO"},
		{"create table kafka.t (a int)", route.Ours, route.NoRows, ""},
		{"create table t (a int)", route.Home, route.NoRows, ""},
		{"create table t (like kafka.t)", route.HomeRewritten, route.NoRows, ""},
		{"create table t (a int references kafka.t)", route.Refused, route.NoRows, "foreign key"},
		{"create table t () inherits (kafka.t)", route.Refused, route.NoRows, "inheritance"},
		{"create table t as select * from kafka.t", route.Refused, route.NoRows, "CREATE TABLE AS"},
		{"create table kafka.t as select 1", route.Refused, route.NoRows, "CREATE TABLE AS"},
		{"create materialized view v as select * from kafka.t", route.Refused, route.NoRows, "MATERIALIZED VIEW"},
		{"create view v as select * from kafka.t, lake.s.t", route.HomeRewritten, route.NoRows, ""},
		{"create view kafka.v as select 1", route.Refused, route.NoRows, "CREATE VIEW in the schema of a catalog"},
		{"drop table kafka.t", route.Ours, route.NoRows, ""},
		{"drop table public.t, kafka.t", route.Ours, route.NoRows, ""},
		{"drop schema kafka", route.Ours, route.NoRows, ""},
		{"drop schema public", route.Home, route.NoRows, ""},
		{"drop server kafka", route.Ours, route.NoRows, ""},
		{"drop database kafka", route.Ours, route.NoRows, ""},
		{"drop database kafka cascade", route.Ours, route.NoRows, ""},
		{"drop database d cascade", route.Home, route.NoRows, ""},
		{"drop index kafka.i", route.Refused, route.NoRows, "DROP"},
		{"drop view kafka.t", route.HomeRewritten, route.NoRows, ""},
		{"create database d", route.Refused, route.NoRows, "CREATE DATABASE without a type is not supported"},
		{"grant select on kafka.t to joe", route.HomeRewritten, route.NoRows, ""},
		{"comment on server kafka is 'x'", route.Ours, route.NoRows, ""},
		{"comment on table kafka.t is 'x'", route.Ours, route.NoRows, ""},
		{"comment on constraint c on kafka.t is 'x'", route.Refused, route.NoRows, "COMMENT ON"},
		{"alter server kafka owner to joe", route.Ours, route.NoRows, ""},
		{"alter schema kafka owner to joe", route.Refused, route.NoRows, "OWNER"},
		{"alter table kafka.t add b int", route.Ours, route.NoRows, ""},
		{"alter table kafka.t rename to u", route.Ours, route.NoRows, ""},
		{"alter table kafka.t rename column a to b", route.Ours, route.NoRows, ""},
		{"alter table kafka.t set schema public", route.Refused, route.NoRows, "SET SCHEMA"},
		{"alter view kafka.t rename column a to b", route.HomeRewritten, route.NoRows, ""},
		{"explain select * from kafka.t", route.Refused, route.NoRows, "EXPLAIN"},
		{"explain drop table kafka.t", route.Ours, route.NoRows, ""},
		{"explain drop table t", route.Home, route.NoRows, ""},
		{"selec 1", route.Home, route.NoRows, ""},
		{"show jobs", route.Ours, route.NoRows, ""},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			statements, err := parse.Split(c.text)
			if err != nil {
				t.Fatal(err)
			}
			got := route.Of(&statements[0], managed)
			if got.Route != c.route || got.Rows != c.rows {
				t.Fatalf("route %q rows %d, want %q rows %d (%v)", got.Route, got.Rows, c.route, c.rows, got.Err)
			}
			if (got.Err != nil) != (c.route == route.Refused) {
				t.Fatalf("error %v with route %s", got.Err, got.Route)
			}
			if got.Err != nil && !strings.Contains(got.Err.Message, c.err) {
				t.Fatalf("message %q, want a part %q", got.Err.Message, c.err)
			}
		})
	}
}
