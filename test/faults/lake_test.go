package faults

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hindrance makes the lake refuse something, from outside.
type hindrance struct {
	name    string
	trigger string // SQL of a trigger in the catalogue that refuses a row; %s is its name
	file    string // a file in the way of a folder of the warehouse
}

func refuses(what, when string) hindrance {
	return hindrance{
		name:    what + " " + when,
		trigger: "create trigger %s before " + what + " when " + when + " begin select raise(abort, 'refused by the test'); end",
	}
}

var (
	noNamespace  = refuses("insert on iceberg_namespace_properties", "true")
	keepsSpace   = refuses("delete on iceberg_namespace_properties", "true")
	noInsert     = refuses("insert on iceberg_tables", "true")
	noInsertOfU  = refuses("insert on iceberg_tables", "new.table_name = 'u'")
	noUpdate     = refuses("update on iceberg_tables", "true")
	keepsTables  = refuses("delete on iceberg_tables", "true")
	keepsU       = refuses("delete on iceberg_tables", "old.table_name = 'u'")
	noFolder     = hindrance{name: "no folder", file: "s"}
	lakeHinders  = []hindrance{noNamespace, keepsSpace, noInsert, noInsertOfU, noUpdate, keepsTables, keepsU, noFolder}
	lakeOutcomes = []kind{
		{"CREATE SCHEMA", nil, []string{"create schema {l}.s2"}, ""},
		{"CREATE TABLE", nil, []string{"create table {l}.s.t (id bigint, v text)"}, ""},
		{"CREATE TABLE IF NOT EXISTS", nil, []string{"create table if not exists {l}.s.t (id bigint)"}, ""},
		{"CREATE OR REPLACE TABLE", []string{iced}, []string{"create or replace table {l}.s.t (id bigint not null, v text, c int)"}, ""},
		{"CREATE OR REPLACE TABLE, destructive", []string{iced}, []string{
			"create or replace table {l}.s.t (id bigint not null) with (allow_destructive = true)",
		}, ""},
		{"ALTER TABLE ADD COLUMN", []string{iced}, []string{"alter table {l}.s.t add column c int"}, ""},
		{"ALTER TABLE ADD and DROP COLUMN", []string{iced}, []string{"alter table {l}.s.t add column c int, drop column v"}, ""},
		{"ALTER TABLE RENAME COLUMN", []string{iced}, []string{"alter table {l}.s.t rename column v to w"}, ""},
		{"ALTER TABLE RENAME TO", []string{iced}, []string{"alter table {l}.s.t rename to u"}, ""},
		{"COMMENT", []string{iced}, []string{"comment on table {l}.s.t is 'the first'"}, ""},
		{"DROP TABLE", []string{iced}, []string{"drop table {l}.s.t"}, ""},
		{"DROP SCHEMA CASCADE", []string{iced}, []string{"drop schema {l}.s cascade with (allow_destructive = true)"}, ""},
		{"INSERT", []string{iced}, []string{"insert into {l}.s.t values (1, 'one')"}, ""},
		{"a block", []string{iced}, []string{
			"begin", "create table {a}.s.t (id bigint)", "alter table {l}.s.t add column c int", "create table {l}.s.u (id bigint)",
			"create schema {l}.s2", "create table {l}.s2.t (id bigint)", "commit",
		}, ""},
		{"a block that drops", []string{iced, table}, []string{
			"begin", "alter table {a}.s.t add column c int", "drop table {l}.s.t", "create table {l}.s.u (id bigint)", "commit",
		}, ""},
	}
)

// TestLake has the lake refuse what statements need, one thing after another. An error means that everything
// is as it was; success, that the work is done once the lake lets it be done.
func TestLake(t *testing.T) {
	for i, k := range lakeOutcomes {
		if i%5 != 1 && !whole() {
			continue // of a short test
		}
		t.Run(strings.ReplaceAll(k.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := prepare(t, k)
			if err := w.attempt(k); err != nil {
				t.Fatal(err)
			}
			w.settle()
			after := masked(w.dump())
			w.close()
			ends := map[string]int{}
			for _, h := range lakeHinders {
				if w.closed {
					w = prepare(t, k)
				}
				ends[w.refused(k, h, after)]++
			}
			t.Log(ends)
		})
	}
}

func (w *world) refused(k kind, h hindrance, after string) string {
	w.t.Helper()
	before := w.dump()
	heal, possible := w.hinderLake(h)
	if !possible {
		return "not possible"
	}
	answer := w.attempt(k)
	heal()
	w.settle()
	got := w.dump()
	if answer == nil {
		if d := difference(after, masked(got)); d != "" {
			w.t.Errorf("%s: the answer is success, but not all is done:\n%s", h.name, d)
		}
		w.close()
		return "done"
	}
	if d := difference(before, got); d != "" || w.notUndone() != "0" {
		w.t.Errorf("%s: the answer is %v\n%s\nbut not all is as before:\n%s", h.name, answer, detail(answer), d)
	}
	if w.t.Failed() {
		w.close()
	}
	w.mustFail(answer, "58030")
	return "as before"
}

// hinderLake puts a hindrance up; heal takes it away.
func (w *world) hinderLake(h hindrance) (heal func(), possible bool) {
	w.t.Helper()
	if h.file != "" {
		path := filepath.Join(w.lake, "warehouse", h.file)
		if os.WriteFile(path, nil, 0o600) != nil {
			return nil, false // the folder is there already
		}
		return func() { _ = os.Remove(path) }, true
	}
	w.lakeExec(fmt.Sprintf(h.trigger, "hinder"))
	return func() { w.lakeExec("drop trigger hinder") }, true
}

func (w *world) lakeExec(statement string) {
	w.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(w.lake, "catalog.db")+"?_busy_timeout=5000")
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		w.t.Fatal(err)
	}
}

// TestLakeKeepsWhatIsUndone has PostgreSQL refuse the second table of a block and the lake refuse to give up the
// first one: its job is undo_failed, named in DETAIL and listed.
func TestLakeKeepsWhatIsUndone(t *testing.T) {
	w := newWorld(t, "{a}{l}")
	w.exec("create table s.later (id int)")
	heal, _ := w.hinderLake(keepsU)
	w.must("begin", "create table {l}.s.u (id bigint)", "create table {a}.s.t (id bigint)", "create table {l}.s.x (id bigint)")
	w.exec("create table s.t (other text)") // in its way, after the look at the system
	err := send(w.conn, "commit")
	w.mustFail(err, "42P07")
	w.settle()
	heal()
	id := w.one("select job_id::text from tablewright.show_jobs where state = 'undo_failed' and target = $1", w.text("{l}.s.u"))
	if !strings.Contains(detail(err), w.text("CREATE TABLE {l}.s.u: could not be undone")) || !strings.Contains(detail(err), id) {
		t.Errorf("DETAIL is %s", detail(err))
	}
	if n := w.notUndone(); n != "1" {
		t.Errorf("%s jobs are undo_failed", n)
	}
	if text := w.lakeText(); !strings.Contains(text, "table s.u") || strings.Contains(text, "table s.x") {
		t.Errorf("the lake holds\n%s", text)
	}
	if text := w.dump(); strings.Contains(text, "shadow") {
		t.Errorf("home holds\n%s", text)
	}
}
