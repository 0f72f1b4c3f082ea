package faults

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestStalePlan plans a statement, changes what it was planned upon in another session, and lets it go on: it
// is 40001, and repeating it helps. The lock of the catalog, which the other session holds, is what stops the
// statement between its plan and its steps.
func TestStalePlan(t *testing.T) {
	begins := []string{"", "begin isolation level repeatable read", "begin", "begin isolation level serializable"}
	statements := []struct{ name, sql string }{
		{"CREATE TABLE", "create table {a}.s.u (id bigint)"},
		{"DROP TABLE", "drop table {a}.s.t"},
		{"ALTER TABLE", "alter table {a}.s.t add column c int"},
		{"ALTER TABLE DROP COLUMN", "alter table {a}.s.t drop column n"},
		{"CREATE SCHEMA", "create schema {a}.s2"},
		{"CREATE TABLE by a job", "create table {j}.s.u (id bigint)"},
	}
	if !whole() {
		begins, statements = begins[:2], statements[:2]
	}
	for _, begin := range begins {
		for _, st := range statements {
			t.Run(strings.ReplaceAll(begin+" "+st.name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				testStale(t, begin, st.sql)
			})
		}
	}
}

func testStale(t *testing.T, begin, sql string) {
	w := newWorld(t, sql+"{a}")
	w.must("create table {a}.s.t (id bigint, n int)")
	before := w.dump()
	changer, changed := session(t, nil), "alter catalog {a} set (deadline = '9s')"
	if strings.Contains(sql, "{j}") {
		changed = "alter catalog {j} set (deadline = '9s')"
	}
	for _, statement := range []string{"begin", changed} {
		if err := send(changer, w.text(statement)); err != nil {
			t.Fatal(err)
		}
	}
	if begin != "" {
		w.must(begin, "select 1")
	}
	answer := make(chan error, 1)
	go func() { answer <- send(w.conn, w.text(sql)) }()
	waitBlocked(t, changer)
	if err := send(changer, "commit"); err != nil {
		t.Fatal(err)
	}
	w.mustFail(<-answer, "40001")
	if begin != "" {
		w.must("rollback")
	}
	w.settle()
	after := w.dump()
	if d := difference(withoutCatalog(before), withoutCatalog(after)); d != "" {
		t.Errorf("something was done:\n%s", d)
	}
	w.must(sql)
	w.settle()
}

// waitBlocked waits until another session waits for a lock that this one holds.
func waitBlocked(t *testing.T, holder *pgx.Conn) {
	t.Helper()
	const query = "select exists (select from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid)))"
	waits := eventually(func() (blocked bool) {
		if err := holder.QueryRow(context.Background(), query).Scan(&blocked); err != nil {
			t.Fatal(err)
		}
		return blocked
	})
	if !waits {
		t.Fatal("nobody waits")
	}
}

// withoutCatalog leaves out what the other session has changed.
func withoutCatalog(dump string) string {
	return regexp.MustCompile(`(?m)^catalog .*$`).ReplaceAllString(dump, "")
}
