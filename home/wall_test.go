package home_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tablewright/tablewright/home/hometest"
)

// No way of reading the empty shadow answers "no rows".
func TestWallStopsEveryRead(t *testing.T) {
	w := newWorld(t)
	mustRun(t, w, `create view public.{c}_view as select id, s from {t}`)
	mustRun(t, w, `create function public.{c}_sql() returns bigint language sql as 'select count(*) from {t}'`)
	mustRun(t, w, `create function public.{c}_pl() returns bigint language plpgsql as 'begin return (select count(*) from {t}); end'`)
	mustRun(t, w, `create table public.{c}_own (id int); insert into public.{c}_own values (1)`)
	for _, statement := range []string{
		`select * from {t}`,
		`select count(*) from {t}`,
		`select 1 where exists (select from {t})`,
		`select o.id from public.{c}_own o left join {t} using (id)`,
		`select * from public.{c}_view`,
		`select public.{c}_sql()`,
		`select public.{c}_pl()`,
		`do $$begin perform 1 from {t}; end$$`,
		`begin; declare c cursor for select * from {t}`,
		`prepare p as select * from {t}; execute p`,
		`copy (select * from {t}) to stdout`,
		`explain select * from {t}`,
		`create table public.x as select * from {t}`,
		`insert into public.{c}_own select id from {t}`,
		`update {t} set s = 'x'`,
		`delete from {t}`,
		`delete from {t} where id = 1`,
		`truncate {t}`,
		`insert into {t} (id) values (1)`,
		`insert into {t} (id) select 1 where false`,
		`do $$begin insert into {t} (id) values (1); end$$`,
		`copy {t} from stdin`,
		`analyze {t}`,
		`merge into {t} using public.{c}_own o on o.id = orders.id when matched then delete`,
		`select * from {t} for update`,
		`with d as (delete from {t} returning *) select * from d`,
		`table {t}`,
	} {
		t.Run(statement, func(t *testing.T) {
			_, err := w.alice.Run(t.Context(), w.sql(statement))
			if got := hometest.Code(err); got != "55000" {
				t.Errorf("code %q, want 55000: %v", got, err)
			}
			if _, err := w.alice.Run(t.Context(), "rollback; deallocate all"); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// The types, parameters and errors of a query still come from the shadow.
func TestWallLetsDescribe(t *testing.T) {
	w := newWorld(t)
	described, err := w.alice.Prepare(t.Context(), "q", w.sql("select id, s from {t} where id = $1 and s like $2"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(described.Fields) != 2 || len(described.ParamOIDs) != 2 || described.ParamOIDs[0] != 23 {
		t.Errorf("described as %+v", described)
	}
	if _, err := w.alice.Prepare(t.Context(), "", w.sql("select nope from {t}"), nil); hometest.Code(err) != "42703" {
		t.Errorf("unknown column: %v, want 42703", err)
	}
	mustRun(t, w, "create table public.{c}_empty as select * from {t} with no data")
}

// With a ticket, everything that the compiler sends goes through, under the user's own role.
func TestTicketedChanges(t *testing.T) {
	w := newWorld(t)
	for _, statement := range []string{
		`alter table {t} add column z int not null default 5`,
		`alter table {t} alter column z type bigint`,
		`alter table {t} alter column s set not null`,
		`alter table {t} alter column s drop not null`,
		`alter table {t} alter column s set default 'x'`,
		`alter table {t} rename column z to zz`,
		`alter table {t} add constraint positive check (id > 0)`,
		`alter table {t} add constraint one unique (s)`,
		`alter table {t} drop constraint one`,
		`alter table {t} drop column zz`,
		`comment on table {t} is 'orders'`,
		`comment on column {t}.s is 'text'`,
		`create table if not exists {t} (id int)`,
		`create table {c}.plain (a int)`,
		`create table {c}.everything (a bigint generated always as identity primary key, b text unique, c int generated always as (1) stored, check (a > 0))`,
		`create table {c}.copied (like {t} including defaults including comments)`,
		`create table {c}.empty as select id, s from {t} with no data`,
		`create view {c}.view as select id from {t}`,
		`create or replace view {c}.view as select id from {t} where id > 0`,
		`drop view {c}.view`,
		`alter table {t} rename to "Orders 2"`,
		`alter table {c}."Orders 2" rename to orders`,
		`select tablewright.set_relation('{t}'::regclass, '{"state": "ready", "path": ["topic.x"], "options": [{"name": "partitions", "value": "6"}]}')`,
	} {
		if err := w.alice.Ticketed(t.Context(), w.sql(statement)); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
	}
	got := query(t, `select string_agg(concat_ws(' ', c.relname, x.state, x.path, x.wall is not null,
			(select count(*) from pg_trigger where tgrelid = c.oid and tgname = 'tw_guard' and tgenabled = 'A')), ', ' order by c.relname)
		from tablewright.relation x join pg_class c on c.oid = x.oid where x.catalog = $1`, w.cat)
	want := "copied provisioning {copied} t 1, empty provisioning {empty} t 1, everything provisioning {everything} t 1, " +
		"orders ready {topic.x} t 1, plain provisioning {plain} t 1"
	if got != want {
		t.Errorf("registry:\n got %s\nwant %s", got, want)
	}
	// What a ticket does not make possible.
	mustRun(t, w, `create type public.{c}_comp as (a int); create table public.{c}_base (a int primary key)`)
	for _, statement := range []string{
		`create table {c}.parted (a int) partition by range (a)`,
		`create table {c}.rows as select 1 as a`,
		`create table {c}.typed of public.{c}_comp`,
		`create table {c}.child () inherits (public.{c}_base)`,
		`create table {c}.fk (a int references public.{c}_base)`,
		`create table {c}.excluded (a int, exclude (a with =))`,
		`create materialized view {c}.mat as select 1 as a`,
		`create function {c}.f() returns int language sql as 'select 1'`,
		`create type {c}.mood as enum ('sad')`,
		`drop trigger tw_guard on {t}`,
		`alter table {t} set schema public`,
		`alter schema {c} rename to {c}_other`,
	} {
		if err := w.alice.Ticketed(t.Context(), w.sql(statement)); hometest.Code(err) != "0A000" {
			t.Errorf("%s: %v, want 0A000", statement, err)
		}
	}
}

// DROP: the wall goes first, so that RESTRICT meets only what is the user's; never one without the other.
func TestDrop(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	mustRun(t, w, `create view public.{c}_view as select id from {t}`)
	begin := func() {
		if _, err := w.alice.Run(ctx, "begin"); err != nil {
			t.Fatal(err)
		}
	}
	oid := query(t, "select $1::text::regclass::oid::text", w.table)
	begin()
	w.ticketed(t, "select tablewright.unwall("+oid+")")
	err := w.alice.Ticketed(ctx, w.sql("drop table {t}"))
	var e *pgconn.PgError
	if !asPgError(err, &e) || e.Code != "2BP01" || strings.Contains(e.Detail, "tw_wall") || !strings.Contains(e.Detail, "_view") {
		t.Errorf("drop with a dependent view: %v", err)
	}
	mustRun(t, w, "rollback")

	begin()
	w.ticketed(t, "select tablewright.unwall("+oid+")")
	if _, err := w.alice.Run(ctx, "commit"); hometest.Code(err) != "55000" {
		t.Errorf("commit without a wall: %v, want 55000", err)
	}
	if got := query(t, "select (wall is not null)::text from tablewright.relation where oid = $1::text::oid", oid); got != "true" {
		t.Error("the wall is gone")
	}

	mustRun(t, w, "drop view public.{c}_view")
	begin()
	w.ticketed(t, "select tablewright.unwall("+oid+")")
	w.ticketed(t, w.sql("drop table {t}"))
	mustRun(t, w, "commit")
	if got := query(t, "select count(*)::text from tablewright.relation where catalog = $1", w.cat); got != "0" {
		t.Errorf("%s relations are still registered", got)
	}

	// The whole catalog, and the names are free again.
	w.ticketed(t, w.sql("create table {t} (id int)"))
	w.ticketed(t, w.sql("create table {c}.other (id int)"))
	if err := w.alice.Ticketed(ctx, w.sql("drop server {c} cascade")); hometest.Code(err) != "55000" {
		t.Errorf("drop of the catalog below its tables: %v, want 55000", err)
	}
	begin()
	w.ticketed(t, w.sql("select tablewright.unwall_schema('{c}')"))
	w.ticketed(t, w.sql("drop schema {c} cascade"))
	w.ticketed(t, w.sql("drop server {c}"))
	mustRun(t, w, "commit")
	mustRun(t, w, "create schema {c}; create table {t} (id int); select * from {t}; drop schema {c} cascade")
}

// A schema of a layered catalog, its rename with the catalog, and the roles of others.
func TestLayeredCatalog(t *testing.T) {
	w := newWorld(t)
	lake := "lake" + w.cat
	w.ticketed(t, "create server "+lake+" foreign data wrapper iceberg")
	w.ticketed(t, `create schema "`+lake+`.sales"`)
	w.ticketed(t, `create table "`+lake+`.sales".orders (id int)`)
	relation := `select concat_ws(' ', catalog, path) from tablewright.relation where oid = to_regclass($1)`
	if got, want := query(t, relation, `"`+lake+`.sales".orders`), lake+" {sales,orders}"; got != want {
		t.Errorf("registered as %s, want %s", got, want)
	}
	mustRun(t, w, "create schema "+lake) // a layered catalog does not claim its own name
	// Somebody else with CREATE on the schema needs no right on the server.
	exec(t, "create role b"+w.role+" login")
	mustRun(t, w, `grant usage, create on schema "`+lake+`.sales" to b`+w.role)
	bob := hometest.Connect(t, shared, "b"+w.role)
	if err := bob.Ticketed(t.Context(), `create table "`+lake+`.sales".bobs (id int)`); err != nil {
		t.Fatal(err)
	}
	if err := bob.Ticketed(t.Context(), `alter table "`+lake+`.sales".bobs add column b int`); err != nil {
		t.Errorf("change of an own table: %v", err)
	}
	if err := bob.Ticketed(t.Context(), `alter table "`+lake+`.sales".orders add column b int`); hometest.Code(err) != "42501" {
		t.Errorf("change of another's table: %v, want 42501", err)
	}
	if _, err := bob.Run(t.Context(), `select * from "`+lake+`.sales".orders`); hometest.Code(err) != "55000" {
		t.Errorf("read without the right: %v, want 55000 (the wall comes before PostgreSQL looks at rights)", err)
	}
	// A new owner owns the wall too, or could not change the table.
	exec(t, "grant b"+w.role+" to "+w.role)
	w.ticketed(t, `alter table "`+lake+`.sales".orders owner to b`+w.role)
	if err := bob.Ticketed(t.Context(), `alter table "`+lake+`.sales".orders add column b int`); err != nil {
		t.Errorf("change by the new owner: %v", err)
	}
	if _, err := bob.Run(t.Context(), `select * from "`+lake+`.sales".orders`); hometest.Code(err) != "55000" {
		t.Errorf("read by the new owner: %v, want 55000", err)
	}
	// The catalog gets another name.
	w.ticketed(t, "alter server "+lake+" rename to l"+lake)
	w.ticketed(t, `alter schema "`+lake+`.sales" rename to "l`+lake+`.sales"`)
	if got, want := query(t, relation, `"l`+lake+`.sales".orders`), "l"+lake+" {sales,orders}"; got != want {
		t.Errorf("registered as %s, want %s", got, want)
	}
	if got := query(t, "select generation::text from tablewright.catalog where name = $1", "l"+lake); got != "2" {
		t.Errorf("generation %s, want 2", got)
	}
	for _, bad := range []string{`"a.b"`, `tablewright`} {
		if err := w.alice.Ticketed(t.Context(), "create server "+bad+" foreign data wrapper kafka"); hometest.Code(err) != "42602" {
			t.Errorf("catalog %s: %v, want 42602", bad, err)
		}
	}
}

// A superuser's session_replication_role, which PostgreSQL 15 lets a superuser grant, switches ordinary
// triggers off.
func TestReplicaRoleDoesNotHelp(t *testing.T) {
	w := newWorld(t)
	exec(t, "grant set on parameter session_replication_role to "+w.role)
	mustRun(t, w, "set session_replication_role = replica")
	for statement, code := range map[string]string{
		`alter table {t} add column z int`: "42501",
		`drop table {t} cascade`:           "42501",
		`insert into {t} (id) values (1)`:  "55000",
		`truncate {t}`:                     "55000",
		`create table {c}.other (a int)`:   "42501",
		`select * from {t}`:                "55000",
	} {
		if _, err := w.alice.Run(t.Context(), w.sql(statement)); hometest.Code(err) != code {
			t.Errorf("%s: %v, want %s", statement, err, code)
		}
	}
}

// raise answers exactly what it was given.
func TestRaise(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ args, code, message, detail, hint string }{
		{`'42P07', 'relation "x" already exists'`, "42P07", `relation "x" already exists`, "", ""},
		{`'22023', '100% wrong', 'A detail.'`, "22023", "100% wrong", "A detail.", ""},
		{`'22023', 'm', null, 'A hint.'`, "22023", "m", "", "A hint."},
		{`'58030', 'm', 'A detail.', 'A hint.'`, "58030", "m", "A detail.", "A hint."},
	} {
		_, err := w.alice.RunExtended(t.Context(), "select tablewright.raise("+c.args+")")
		var e *pgconn.PgError
		if !asPgError(err, &e) || e.Code != c.code || e.Message != c.message || e.Detail != c.detail || e.Hint != c.hint {
			t.Errorf("raise(%s) answered %+v", c.args, e)
		}
	}
}

// The guard must not make DDL slow, on home tables least of all.
func TestGuardIsFast(t *testing.T) {
	w := newWorld(t)
	const n = 50
	mustRun(t, w, "create table public.{c}_t (a int)")
	began := time.Now()
	for range n {
		mustRun(t, w, "alter table public.{c}_t add column b int; alter table public.{c}_t drop column b")
	}
	onHome := time.Since(began) / (2 * n)
	began = time.Now()
	for range n {
		w.ticketed(t, w.sql("alter table {t} alter column s set default 'x'"))
	}
	onShadow := time.Since(began) / n
	began = time.Now()
	for range n {
		mustRun(t, w, "begin")
		w.ticketed(t, w.sql("create table {c}.x (id int primary key, s text)"))
		mustRun(t, w, "rollback")
	}
	create := time.Since(began) / n
	t.Logf("a DDL statement on a home table %v, on a shadow %v, CREATE TABLE of a shadow %v", onHome, onShadow, create)
	if limit := 100 * time.Millisecond; onHome > limit || onShadow > limit || create > limit {
		t.Errorf("more than %v", limit)
	}
}
