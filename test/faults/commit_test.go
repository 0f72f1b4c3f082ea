package faults

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
)

// commits are blocks whose COMMIT the home database refuses, or whose client is gone while it is under way.
var commits = []struct {
	name, code string
	block      []string
}{
	{"a deferred key", "23503", []string{
		"create table {a}.s.t (id bigint)", "alter table {b}.s.t add column c int", "insert into {w}h values (2)",
	}},
	{"a trigger that fails at the commit", "P0001", []string{
		"create table {a}.s.t (id bigint)", "create table {l}.s.u (id bigint)", "insert into {w}k values (2)",
	}},
}

// TestCommitFails: COMMIT is an error of the home database, and everything outside is as it was. The first is found
// before anything outside is touched, the second only by the commit itself.
func TestCommitFails(t *testing.T) {
	for _, c := range commits {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, "{a}{b}{l}")
			w.must(other, "create table {w}p (id int primary key)", "create table {w}h (p int references {w}p deferrable initially deferred)",
				"create table {w}k (v int)", `create function {w}f() returns trigger language plpgsql as $$ begin
					if current_setting('constraint_exclusion') is not null then raise exception 'refused at the commit'; end if; return null; end $$`,
				"create constraint trigger late after insert on {w}k deferrable initially deferred for each row execute function {w}f()")
			before := w.dump()
			w.must("begin")
			w.must(c.block...)
			w.faults.arm(0, "")
			w.mustFail(send(w.conn, "commit"), c.code)
			if _, calls := w.faults.rest(); c.code == "23503" && len(calls) > 0 {
				t.Errorf("a key that does not hold is found after %q", calls)
			}
			w.settle()
			if d := difference(before, w.dump()); d != "" {
				t.Errorf("not all is as before:\n%s", d)
			}
			w.must("select 1")
		})
	}
}

// losses are ways to lose a block while its COMMIT waits for a system.
var losses = map[string]func(t *testing.T, w *world, client *pgx.Conn, home, waiter int){
	// The gateway gives the step up, which ends that session of the system.
	"the client": func(_ *testing.T, w *world, client *pgx.Conn, _, waiter int) {
		_ = client.PgConn().Conn().Close()
		w.waiter(fmt.Sprintf("select count(*) from pg_stat_activity where pid = %d", waiter), func(n int) bool { return n == 0 })
	},
	"the session at home": func(t *testing.T, w *world, _ *pgx.Conn, home, _ int) {
		if ended := w.one("select pg_terminate_backend($1::text::int, 5000)::text", strconv.Itoa(home)); ended != "true" {
			t.Fatal("the session at home goes on")
		}
	},
}

// TestLostInCommit loses the client, or the session at home, while COMMIT waits for a system: everything is undone.
func TestLostInCommit(t *testing.T) {
	for name, lose := range losses {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "{a}{b}")
			w.must("create table {b}.s.p (id bigint primary key)")
			before := w.dump()
			client := session(t, nil)
			var home int
			if err := client.QueryRow(t.Context(), "select pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&home); err != nil {
				t.Fatal(err)
			}
			for _, sql := range []string{"begin", "create table {a}.s.t (id bigint)", "alter table {b}.s.p add column c int"} {
				if err := send(client, w.text(sql)); err != nil {
					t.Fatal(err)
				}
			}
			release := w.holdLock()
			answer := make(chan error, 1)
			go func() { answer <- send(client, "commit") }()
			lose(t, w, client, home, w.waiter("select coalesce(max(pid), 0) from pg_locks where not granted", func(pid int) bool { return pid != 0 }))
			release()
			if err := <-answer; err == nil {
				t.Error("COMMIT was answered with success")
			}
			w.settle()
			if d := difference(before, w.dump()); d != "" {
				t.Errorf("not all is as before:\n%s", d)
			}
		})
	}
}

// holdLock locks table s.p of the second system, until release.
func (w *world) holdLock() (release func()) {
	w.t.Helper()
	ctx := context.Background()
	holder, err := systems[1].Connect(ctx, w.id)
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := holder.Exec(ctx, "begin; lock table s.p in access exclusive mode"); err != nil {
		w.t.Fatal(err)
	}
	return func() { _ = holder.Close(ctx) }
}

// waiter asks the second system for a number until it is what is waited for.
func (w *world) waiter(query string, is func(int) bool) (n int) {
	w.t.Helper()
	became := eventually(func() bool {
		if err := w.outside[1].QueryRow(context.Background(), query).Scan(&n); err != nil {
			w.t.Fatal(err)
		}
		return is(n)
	})
	if !became {
		w.t.Fatalf("%s is %d", query, n)
	}
	return n
}
