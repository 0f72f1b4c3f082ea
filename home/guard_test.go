package home_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tablewright/tablewright/home/hometest"
)

// names gives every test a role and a catalog of its own in the shared home database.
var names atomic.Int64

// world is a flat catalog with one external table, owned by a role that is no superuser.
type world struct {
	alice            *hometest.Session
	role, cat, table string // quoted where needed
}

func newWorld(t *testing.T) *world {
	t.Helper()
	n := names.Add(1)
	w := &world{role: fmt.Sprintf("alice%d", n), cat: fmt.Sprintf("kafka%d", n)}
	w.table = w.cat + ".orders"
	exec(t, fmt.Sprintf(`create role %s login; grant create on database tablewright to %[1]s;
		grant usage on foreign data wrapper kafka, iceberg to %[1]s; grant create, usage on schema public to %[1]s`, w.role))
	w.alice = hometest.Connect(t, shared, w.role)
	w.ticketed(t, "create server "+w.cat+" foreign data wrapper kafka options (bootstrap_servers 'localhost:9092')")
	w.ticketed(t, "create schema "+w.cat)
	w.ticketed(t, "create table "+w.table+" (id int primary key, s text, n serial)")
	return w
}

func (w *world) ticketed(t *testing.T, statement string) {
	t.Helper()
	if err := w.alice.Ticketed(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// sql puts the names of the world into a statement.
func (w *world) sql(text string) string {
	return strings.NewReplacer("{t}", w.table, "{c}", w.cat, "{r}", w.role).Replace(text)
}

func exec(t *testing.T, text string) {
	t.Helper()
	conn, err := shared.Pool().Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Conn().PgConn().Exec(t.Context(), text).ReadAll(); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func query(t *testing.T, text string, args ...any) string {
	t.Helper()
	var value string
	if err := shared.Pool().QueryRow(t.Context(), text, args...).Scan(&value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

// Each statement tries to change an external table past the gateway. before runs with a ticket for each
// of its statements or, where it names nothing external, without needing one.
func TestGuardRefuses(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	mustRun(t, w, `create table public.{c}_plain (a int primary key); create table public.{c}_base (id int, s text, n int)`)
	mustRun(t, w, `create function public.{c}_f() returns int language plpgsql as $$begin execute 'alter table {t} add column z int'; return 1; end$$`)
	mustRun(t, w, `create function public.{c}_q() returns int language sql as 'alter table {t} add column z int; select 1'`)
	mustRun(t, w, `create function public.{c}_t() returns trigger language plpgsql as 'begin return null; end'`)
	mustRun(t, w, `create view public.{c}_view as select id from {t}`)
	for _, c := range []struct{ statement, code string }{
		// Changes that only the gateway makes.
		{`alter table {t} add column z int`, "42501"},
		{`alter table {t} rename to q`, "42501"},
		{`alter table {t} rename column s to q`, "42501"},
		{`alter view {t} rename column s to q`, "42501"},
		{`alter table {t} set schema public`, "42501"},
		{`alter table {t} owner to {r}`, "42501"},
		{`alter table {t} enable row level security`, "42501"},
		{`alter table {t} disable trigger tw_guard`, "42501"},
		{`alter table {t} disable trigger all`, "42501"},
		{`alter table {t} add check (id > 0)`, "42501"},
		{`alter table only {t} add constraint c check (id > 0) no inherit`, "42501"},
		{`alter index {t}_pkey rename to q`, "42501"},
		{`alter sequence {t}_n_seq rename to q`, "42501"},
		{`alter type {t} rename attribute s to q`, "42P16"},
		{`alter type {t} add attribute q int`, "42809"},
		{`comment on table {t} is 'x'`, "42501"},
		{`comment on column {t}.s is 'x'`, "42501"},
		{`comment on constraint orders_pkey on {t} is 'x'`, "42501"},
		{`drop table {t}`, "2BP01"}, // the wall depends on it; RESTRICT comes first
		{`drop table {t} cascade`, "42501"},
		{`drop owned by {r}`, "42501"},
		{`drop owned by {r} cascade`, "42501"},
		{`drop trigger tw_guard on {t}`, "42501"},
		{`alter trigger tw_guard on {t} rename to q`, "0A000"},
		{`create table {c}.other (a int)`, "42501"},
		{`create table {c}.other as select 1 as a`, "42501"},
		{`select 1 as a into {c}.other`, "42501"},
		{`create view {c}.other as select 1 as a`, "42501"},
		{`create function {c}.f() returns int language sql as 'select 1'`, "42501"},
		{`create type {c}.other as (a int)`, "42501"},
		{`create sequence {c}.other`, "42501"},
		{`alter table public.{c}_plain set schema {c}`, "42501"},
		{`alter schema {c} rename to q`, "42501"},
		{`alter schema {c} owner to {r}`, "42501"},
		{`drop schema {c} cascade`, "42501"},
		{`create schema {c}_s; alter schema {c}_s rename to "{c}.x"; alter schema {c} rename to {c}_y`, "42501"},
		{`alter server {c} options (add x 'y')`, "42501"},
		{`alter server {c} rename to {c}_q`, "42501"},
		{`alter server {c} owner to {r}`, "42501"},
		{`drop server {c} cascade`, "42501"},
		{`create server {c}_2 foreign data wrapper kafka`, "42501"},
		{`select tablewright.unwall('{t}'::regclass)`, "42501"},
		{`select tablewright.unwall_schema('{c}')`, "42501"},
		{`select tablewright.set_relation('{t}'::regclass, '{"state": "ready"}')`, "42501"},
		{`select tablewright.patch_relation('{t}'::regclass, '{"state": "ready"}')`, "42501"},
		{`select tablewright.complete('{t}'::regclass, '{"state": "ready"}', gen_random_uuid())`, "42501"},
		{`select tablewright.succeed_job(gen_random_uuid(), '')`, "42501"},
		{`select tablewright.manage_schema('public', '{c}')`, "42501"},
		{`update tablewright.relation set state = 'ready'`, "42501"},
		{`delete from tablewright.relation`, "42501"},
		{`select key from tablewright.secret`, "42501"},
		{`select tablewright.ticket_ok('')`, "42501"},
		{`select * from tablewright.role('{r}')`, "42501"},
		{`select * from tw_wall.x`, "42501"},
		{`create table tablewright.mine (a int)`, "42501"},
		// By way of something else.
		{`do $$begin execute 'alter table {t} add column z int'; end$$`, "42501"},
		{`do $$begin drop table {t} cascade; end$$`, "42501"},
		{`do $$begin create table {c}.other (a int); end$$`, "42501"},
		{`select public.{c}_f()`, "42501"},
		{`select public.{c}_q()`, "42501"},
		{`set session_replication_role = replica`, "42501"},
		// What may not depend on an external table, ticket or not.
		{`create index on {t} (s)`, "0A000"},
		{`create table public.x (a int references {t})`, "0A000"},
		{`alter table public.{c}_plain add foreign key (a) references {t}`, "0A000"},
		{`create table public.x () inherits ({t})`, "0A000"},
		{`create temp table x () inherits ({t})`, "0A000"},
		{`alter table {t} inherit public.{c}_base`, "0A000"},
		{`alter table {t} add foreign key (id) references public.{c}_plain`, "0A000"},
		{`create trigger x after insert on {t} execute function public.{c}_t()`, "0A000"},
		{`create rule x as on insert to {t} do instead nothing`, "0A000"},
		{`create rule x as on insert to public.{c}_plain do also delete from {t}`, "0A000"},
		{`create policy x on {t} using (true)`, "0A000"},
		{`create policy x on public.{c}_plain using (exists (select from {t}))`, "0A000"},
		{`create statistics public.{c}_st on id, s from {t}`, "0A000"},
		{`create publication {c}_p for table {t}`, "22023"}, // PostgreSQL's own: a child is a foreign table
		{`create publication {c}_p for table only {t}`, "0A000"},
		{`create materialized view public.x as select id from {t} with no data`, "0A000"},
		{`create materialized view public.x as select id from public.{c}_view with no data`, "0A000"},
		{`create policy x on public.{c}_plain using (exists (select from public.{c}_view))`, "0A000"},
		{`create table public.x (a {t})`, "0A000"},
		{`create table public.x (a {t}[])`, "0A000"},
		{`create function public.{c}_b() returns bigint language sql begin atomic select count(*) from {t}; end`, "0A000"},
		{`create foreign table public.x (a int) server {c}`, "0A000"},
		{`create user mapping for current_user server {c}`, "0A000"},
	} {
		t.Run(c.statement, func(t *testing.T) {
			before := w.fingerprint(t)
			_, err := w.alice.Run(ctx, w.sql(c.statement))
			if got := hometest.Code(err); got != c.code {
				t.Errorf("code %q, want %q: %v", got, c.code, err)
			}
			if _, err := w.alice.Run(ctx, "rollback"); err != nil {
				t.Fatal(err)
			}
			if after := w.fingerprint(t); after != before {
				t.Errorf("the table has changed from %s to %s", before, after)
			}
			if c.code == "0A000" { // a ticket does not help
				if got := hometest.Code(w.alice.Ticketed(ctx, w.sql(c.statement))); got != c.code {
					t.Errorf("with a ticket: code %q, want %q", got, c.code)
				}
			}
		})
	}
}

func mustRun(t *testing.T, w *world, text string) {
	t.Helper()
	if _, err := w.alice.Run(t.Context(), w.sql(text)); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// fingerprint is all that the catalogue says of the world's external objects.
func (w *world) fingerprint(t *testing.T) string {
	t.Helper()
	return query(t, `select concat_ws(' ', c.oid, n.nspname, c.relname, c.relowner, c.relrowsecurity, x.wall, x.state,
			(select string_agg(attname::text, ',' order by attnum) from pg_attribute where attrelid = c.oid and attnum > 0),
			(select string_agg(tgname::text || tgenabled::text, ',' order by tgname) from pg_trigger where tgrelid = c.oid),
			(select string_agg(conname::text, ',' order by conname) from pg_constraint where conrelid = c.oid),
			(select count(*) from pg_class o where o.relnamespace = n.oid), obj_description(c.oid, 'pg_class'))
		from tablewright.relation x join pg_class c on c.oid = x.oid join pg_namespace n on n.oid = c.relnamespace
		where x.catalog = $1`, w.cat)
}

// A ticket is good for its own text at top level only.
func TestTicketIsBoundToItsText(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	good := w.sql("alter table {t} add column z int")
	hold := func(t *testing.T) {
		t.Helper()
		if _, err := w.alice.Run(ctx, "rollback; begin"); err != nil {
			t.Fatal(err)
		}
		setTicket(ctx, t, w, good)
	}
	for _, other := range []string{
		good + " ", "/* */ " + good, strings.ToUpper(good[:11]) + good[11:],
		w.sql("alter table {t} add column y int"),
		"do $$begin execute '" + good + "'; end$$",
		"select 1; " + good,
	} {
		hold(t)
		if _, err := w.alice.Run(ctx, other); hometest.Code(err) != "42501" {
			t.Errorf("%s: %v, want 42501", other, err)
		}
		hold(t)
		if _, err := w.alice.RunExtended(ctx, other); hometest.Code(err) != "42501" && hometest.Code(err) != "42601" {
			t.Errorf("%s: %v, want 42501", other, err)
		}
	}
	// Another session of the same user may not use it.
	other := hometest.Connect(t, shared, w.role)
	if _, err := other.Run(ctx, "begin"); err != nil {
		t.Fatal(err)
	}
	if _, err := other.RunExtended(ctx, "select set_config('tablewright.ticket', '"+shared.Ticket(w.alice.PID(), good)+"', true)"); err != nil {
		t.Fatal(err)
	}
	if _, err := other.RunExtended(ctx, good); hometest.Code(err) != "42501" {
		t.Errorf("in another session: %v, want 42501", err)
	}
	if _, err := other.Run(ctx, "rollback"); err != nil {
		t.Fatal(err)
	}
	// And its own text passes.
	hold(t)
	if _, err := w.alice.RunExtended(ctx, good); err != nil {
		t.Errorf("%s: %v", good, err)
	}
	if _, err := w.alice.Run(ctx, "commit"); err != nil {
		t.Fatal(err)
	}
}

func setTicket(ctx context.Context, t *testing.T, w *world, text string) {
	t.Helper()
	ticket := shared.Ticket(w.alice.PID(), text)
	if _, err := w.alice.RunExtended(ctx, "select set_config('tablewright.ticket', '"+ticket+"', true)"); err != nil {
		t.Fatal(err)
	}
}

// A ticketed statement may call a user's function (in a partition bound, in the query of CREATE TABLE AS):
// what that does is not ticketed.
func TestTicketDoesNotReachFunctions(t *testing.T) {
	w := newWorld(t)
	for _, call := range []string{
		"create function public.{c}_evil() returns int language plpgsql as $$begin execute 'alter table {t} add column z int'; return 1; end$$",
		"create or replace function public.{c}_evil() returns int language sql as 'alter table {t} add column z int; select 1'",
		// A name that looks like a frame of the guard.
		"create function public.\"{c}\nPL/pgSQL function tablewright.guard() line 1 at EXECUTE\"() returns int language plpgsql as $$begin execute 'alter table {t} add column z int'; return 1; end$$",
	} {
		mustRun(t, w, call)
	}
	for _, function := range []string{
		`public.{c}_evil()`, "public.\"{c}\nPL/pgSQL function tablewright.guard() line 1 at EXECUTE\"()",
	} {
		statement := w.sql("create table {c}.ctas as select " + function + " as a")
		if err := w.alice.Ticketed(t.Context(), statement); hometest.Code(err) != "42501" {
			t.Errorf("%s: %v, want 42501", statement, err)
		}
	}
}

func asPgError(err error, target **pgconn.PgError) bool { return errors.As(err, target) }

// What a shadow uses of the home database does not take a part of it along.
func TestCascadeFromHomeObjects(t *testing.T) {
	w := newWorld(t)
	mustRun(t, w, `create type public.{c}_mood as enum ('sad'); create sequence public.{c}_seq;
		create function public.{c}_ok(int) returns boolean immutable language sql as 'select true'; create domain public.{c}_dom as int`)
	w.ticketed(t, w.sql(`alter table {t} add column m public.{c}_mood, add column q int default nextval('public.{c}_seq'), add column d public.{c}_dom`))
	w.ticketed(t, w.sql(`alter table {t} add constraint ok check (public.{c}_ok(id))`))
	w.ticketed(t, w.sql(`create view {c}.view as select public.{c}_ok(1)`))
	before := w.fingerprint(t) + w.defaults(t)
	for _, statement := range []string{
		`drop type public.{c}_mood cascade`, `drop sequence public.{c}_seq cascade`, `drop function public.{c}_ok cascade`,
		`drop domain public.{c}_dom cascade`,
	} {
		if _, err := w.alice.Run(t.Context(), w.sql(statement)); hometest.Code(err) != "42501" {
			t.Errorf("%s: %v, want 42501", statement, err)
		}
	}
	if after := w.fingerprint(t) + w.defaults(t); after != before {
		t.Errorf("the table has changed from %s to %s", before, after)
	}
}

func (w *world) defaults(t *testing.T) string {
	t.Helper()
	return query(t, "select string_agg(pg_get_expr(adbin, adrelid), ',' order by adnum) from pg_attrdef where adrelid = $1::text::regclass", w.table)
}
