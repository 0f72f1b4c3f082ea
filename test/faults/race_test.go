package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// race is a statement that drops and one that makes something that depends on what is dropped; {i} is the
// number of the round.
type race struct {
	name          string
	before        []string
	drops, makes  string
	dropped, made []string // what they may answer besides success
}

var races = []race{
	{
		"DROP TABLE, a view",
		[]string{"create table {a}.s.t{i} (id bigint primary key)"},
		"drop table {a}.s.t{i}", "create view {w}v{i} as select id from {a}.s.t{i}",
		[]string{"2BP01"},
		[]string{"42P01", "55006"},
	},
	{
		"DROP TABLE CASCADE, a view",
		[]string{"create table {a}.s.t{i} (id bigint primary key)"},
		"drop table {a}.s.t{i} cascade", "create view {w}v{i} as select id from {a}.s.t{i}",
		nil,
		[]string{"42P01", "55006"},
	},
	{
		"DROP TABLE, a foreign key",
		[]string{"create table {a}.s.t{i} (id bigint primary key)"},
		"drop table {a}.s.t{i}", "create table {a}.s.u{i} (id bigint references {a}.s.t{i})",
		[]string{"2BP01", "55006"},
		[]string{"42P01", "55006", "40001"},
	},
	{
		"DROP TABLE, a foreign key added",
		[]string{"create table {a}.s.t{i} (id bigint primary key)", "create table {a}.s.u{i} (id bigint)"},
		"drop table {a}.s.t{i}", "alter table {a}.s.u{i} add constraint k foreign key (id) references {a}.s.t{i}",
		[]string{"2BP01", "55006"},
		[]string{"42P01", "55006", "40001"},
	},
	{
		"DROP TABLE, LIKE",
		[]string{"create table {a}.s.t{i} (id bigint primary key)"},
		"drop table {a}.s.t{i}", "create table {a}.s.u{i} (like {a}.s.t{i})",
		[]string{"55006"},
		[]string{"42P01", "55006", "40001"},
	},
	{
		"DROP SCHEMA, a table",
		[]string{"create schema {a}.s{i}"},
		"drop schema {a}.s{i}", "create table {a}.s{i}.t (id bigint)",
		[]string{"2BP01", "55006"},
		[]string{"3F000", "55006", "40001"},
	},
	{
		"DROP SCHEMA CASCADE, a table",
		[]string{"create schema {a}.s{i}", "create table {a}.s{i}.p (id bigint primary key)"},
		"drop schema {a}.s{i} cascade with (allow_destructive = true)", "create table {a}.s{i}.t (id bigint references {a}.s{i}.p)",
		[]string{"2BP01", "55006", "40001"}, // what is to be dropped may have become more since it was planned
		[]string{"3F000", "42P01", "55006", "40001"},
	},
	{
		"CREATE OR REPLACE TABLE, a view",
		[]string{"create table {a}.s.t{i} (id bigint primary key, n int)"},
		"create or replace table {a}.s.t{i} (id bigint primary key) with (allow_destructive = true)", "create view {w}v{i} as select n from {a}.s.t{i}",
		[]string{"2BP01", "55006"},
		[]string{"42703", "55006"},
	},
	{
		"CREATE OR REPLACE TABLE, a foreign key",
		[]string{"create table {a}.s.t{i} (id bigint primary key, n int unique)"},
		"create or replace table {a}.s.t{i} (id bigint primary key) with (allow_destructive = true)",
		"create table {a}.s.u{i} (n int references {a}.s.t{i} (n))",
		[]string{"2BP01", "55006"},
		[]string{"42703", "42830", "55006", "40001"},
	},
	{
		"DROP COLUMN, a view",
		[]string{"create table {a}.s.t{i} (id bigint primary key, n int)"},
		"alter table {a}.s.t{i} drop column n", "create view {w}v{i} as select n from {a}.s.t{i}",
		[]string{"2BP01", "55006"},
		[]string{"42703", "55006"},
	},
}

// TestDropAgainstDependent lets two sessions go at once: one drops, one makes a dependent. Whoever comes
// first, nothing is left hanging, at home or outside. RACE_ROUNDS is how often.
func TestDropAgainstDependent(t *testing.T) {
	rounds := 10
	if text := os.Getenv("RACE_ROUNDS"); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range races {
		t.Run(strings.ReplaceAll(r.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "{a}")
			sessions := [2]*pgx.Conn{session(t, nil), session(t, nil)}
			outcomes := map[string]int{}
			for i := range rounds {
				outcomes[w.round(r, i, sessions)]++
				if t.Failed() {
					break
				}
			}
			t.Logf("%d rounds: %v", rounds, outcomes)
		})
	}
}

// round runs a race once and returns what the two were answered.
func (w *world) round(r race, i int, sessions [2]*pgx.Conn) string {
	w.t.Helper()
	number := strings.NewReplacer("{i}", strconv.Itoa(i))
	for _, sql := range r.before {
		w.must(number.Replace(sql))
	}
	errs := together(sessions[:], w.text(number.Replace(r.drops)), w.text(number.Replace(r.makes)))
	w.settle()
	answers := [2]string{w.answer(errs[0], r.dropped), w.answer(errs[1], r.made)}
	if errs[0] != nil && errs[1] != nil && slices.Contains(answers[:], "55006") && answers[0] != answers[1] {
		w.t.Errorf("neither was done: %v; %v", errs[0], errs[1])
	}
	if d := w.hanging(); d != "" {
		w.t.Errorf("round %d: the answers are %v; %v\n%s\n%s", i, errs[0], errs[1], detail(errs[1]), d)
	}
	return answers[0] + " " + answers[1]
}

// together sends statements at once, each on a session of its own.
func together(sessions []*pgx.Conn, statements ...string) []error {
	errs := make([]error, len(statements))
	var ready, done sync.WaitGroup
	ready.Add(len(statements))
	for i, sql := range statements {
		done.Go(func() {
			ready.Done()
			ready.Wait()
			errs[i] = send(sessions[i], sql)
		})
	}
	done.Wait()
	return errs
}

// mustFail wants an error with one of the codes.
func (w *world) mustFail(err error, codes ...string) {
	w.t.Helper()
	if w.answer(err, codes) == "done" {
		w.t.Errorf("the answer is success, not one of %s", codes)
	}
}

// answer is the SQLSTATE of an answer, which must be one of those that are right.
func (w *world) answer(err error, right []string) string {
	w.t.Helper()
	if err == nil {
		return "done"
	}
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || !slices.Contains(right, e.Code) {
		w.t.Errorf("the answer is %v\n%s", err, detail(err))
		return "?"
	}
	return e.Code
}

// hanging finds what home and the system do not agree on: a table that only one of them has, a shadow that is
// not ready, a key to a table that is not there.
func (w *world) hanging() string {
	w.t.Helper()
	const columns = ` || '(' || (select string_agg(attname || case when attnotnull then '!' else '' end, ',' order by attnum) from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) || ')' `
	home := w.lines(w.conn, `select c.relnamespace::regnamespace::text || '.' || relname`+columns+` from pg_class c join tablewright.relation r using (oid)
		where r.catalog = $1 and r.state = 'ready' order by 1`, w.id+"a")
	home = strings.ReplaceAll(strings.ReplaceAll(home, `"`, ""), w.id+"a.", "")
	outside := w.lines(w.outside[0], `select c.relnamespace::regnamespace::text || '.' || relname`+columns+` from pg_class c
		where c.relnamespace::regnamespace::text ~ $1 and relkind = 'r' order by 1`, "^s")
	all := w.lines(w.conn, "select oid::regclass || ' ' || state from tablewright.relation where catalog = $1 and state <> 'ready' order by 1", w.id+"a")
	keys := w.lines(w.conn, `select oid::regclass || ' ' || (k->>'definition') from tablewright.relation, jsonb_array_elements(constraints) k
		where catalog = $1 order by 1`, w.id+"a")
	var b strings.Builder
	if home != outside {
		fmt.Fprintf(&b, "home and system differ:\n%s\n", difference(home, outside))
	}
	if all != "" {
		fmt.Fprintf(&b, "not ready: %s\n", all)
	}
	foreign := w.lines(w.outside[0], "select conrelid::regclass || ' ' || confrelid::regclass from pg_constraint where contype = 'f' and conname ~ $1", ".")
	if strings.Count(keys, "FOREIGN KEY") != strings.Count(foreign, "\n") {
		fmt.Fprintf(&b, "keys at home:\n%skeys outside:\n%s", keys, foreign)
	}
	if n := w.notUndone(); n != "0" {
		fmt.Fprintf(&b, "%s jobs are undo_failed\n", n)
	}
	return b.String()
}

// exec runs SQL at the first system itself.
func (w *world) exec(sql string) {
	w.t.Helper()
	if _, err := w.outside[0].Exec(context.Background(), w.text(sql)); err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
}
