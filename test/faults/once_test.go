package faults

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// once is a statement that many sessions send at once. words are in the one call that does its work; others is
// what those may be answered who have not done it.
type once struct {
	name, before, sql string
	words             string
	others            []string // SQLSTATEs; "done" for success
	least             int      // sessions that succeed, at least
}

var onces = []once{
	{"CREATE TABLE", "", "create table {a}.s.t{i} (id bigint)", "create table s.t{i}", []string{"42P07", "55006"}, 1},
	{"CREATE TABLE IF NOT EXISTS", "", "create table if not exists {a}.s.t{i} (id bigint)", "create table s.t{i}", []string{"done"}, 0},
	{"CREATE OR REPLACE TABLE", "", "create or replace table {a}.s.t{i} (id bigint)", "create table s.t{i}", []string{"done"}, 0},
	{"CREATE OR REPLACE TABLE, there", "create table {a}.s.t{i} (id int)", "create or replace table {a}.s.t{i} (id bigint)", "alter table s.t{i}", []string{"done"}, 0},
	{"ALTER TABLE", "create table {a}.s.t{i} (id bigint)", "alter table {a}.s.t{i} add column c int", "alter table s.t{i}", []string{"42701", "55006", "40001"}, 1},
	{"ALTER TABLE IF NOT EXISTS", "create table {a}.s.t{i} (id bigint)", "alter table {a}.s.t{i} add column if not exists c int", "alter table s.t{i}", []string{"done", "55006", "40001"}, 1},
	{"DROP TABLE", "create table {a}.s.t{i} (id bigint)", "drop table {a}.s.t{i}", "drop table s.t{i}", []string{"42P01", "55006", "40001"}, 1},
	{"DROP TABLE IF EXISTS", "create table {a}.s.t{i} (id bigint)", "drop table if exists {a}.s.t{i}", "drop table s.t{i}", []string{"done"}, 0},
	{"CREATE SCHEMA IF NOT EXISTS", "", "create schema if not exists {a}.s{i}", "create schema s{i}", []string{"done"}, 0},
	{"CREATE SCHEMA", "", "create schema {a}.s{i}", "create schema s{i}", []string{"42P06", "55006"}, 1},
	{"CREATE TABLE by a job", "", "create table {j}.s.t{i} (id bigint)", "create table s.t{i}", []string{"42P07", "55006"}, 1},
	{"CREATE TABLE IF NOT EXISTS by a job", "", "create table if not exists {j}.s.t{i} (id bigint)", "create table s.t{i}", []string{"done"}, 0},
	{"ALTER TABLE by a job", "create table {j}.s.t{i} (id bigint)", "alter table {j}.s.t{i} add column c int", "alter table s.t{i}", []string{"42701", "55006", "40001"}, 1},
	{"DROP TABLE by a job", "create table {j}.s.t{i} (id bigint)", "drop table {j}.s.t{i}", "drop table s.t{i}", []string{"42P01", "55006", "40001"}, 1},
}

// TestOnce sends the same statement from two sessions, and from eight, at once. The work is done once, which
// the proxy before the system counts, and each answer is true.
func TestOnce(t *testing.T) {
	rounds := 1
	if whole() {
		rounds = 30
	}
	for _, o := range onces {
		t.Run(strings.ReplaceAll(o.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, o.sql)
			var sessions []*pgx.Conn
			for range 8 {
				sessions = append(sessions, session(t, nil))
			}
			outcomes := map[string]int{}
			for i := range rounds {
				for _, n := range []int{2, 8} {
					number := strings.NewReplacer("{i}", fmt.Sprintf("%d_%d", i, n))
					w.once(o, number, sessions[:n], outcomes)
				}
			}
			t.Logf("%v", outcomes)
		})
	}
}

func (w *world) once(o once, number *strings.Replacer, sessions []*pgx.Conn, outcomes map[string]int) {
	w.t.Helper()
	if o.before != "" {
		w.must(number.Replace(o.before))
	}
	w.settle()
	w.faults.arm(0, "")
	statements := make([]string, len(sessions))
	for i := range statements {
		statements[i] = w.text(number.Replace(o.sql))
	}
	errs := together(sessions, statements...)
	w.settle()
	if sent := w.faults.sent(number.Replace(o.words)); sent != 1 {
		w.t.Errorf("%s: the system was sent the work %d times", statements[0], sent)
	}
	done := 0
	for _, err := range errs {
		code := "done"
		if err == nil {
			done++
		} else {
			code = w.answer(err, slices.DeleteFunc(slices.Clone(o.others), func(s string) bool { return s == "done" }))
		}
		outcomes[code]++
	}
	switch {
	case o.least == 0 && done != len(sessions):
		w.t.Errorf("%s: %d of %d were told success", statements[0], done, len(sessions))
	case o.least > 0 && (done < o.least || done > 1 && !slices.Contains(o.others, "done")):
		w.t.Errorf("%s: %d of %d were told success", statements[0], done, len(sessions))
	}
}
