package home_test

import (
	"fmt"
	"testing"

	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/home/hometest"
)

// That a table is there is said in PostgreSQL's place only where PostgreSQL would say nothing else.
func TestPresent(t *testing.T) {
	w := newWorld(t)
	exec(t, fmt.Sprintf("create role bob_%[1]s login; create role carol_%[1]s login; grant usage, create on schema %[1]s to carol_%[1]s", w.cat))
	bob, carol := hometest.Connect(t, shared, "bob_"+w.cat), hometest.Connect(t, shared, "carol_"+w.cat)
	oid := query(t, "select $1::regclass::oid::text", w.table)
	key := "tablewright:" + w.table
	present := func(s *hometest.Session) string {
		t.Helper()
		text, err := s.QueryText(t.Context(), "select tablewright.present($1, $2::text::oid, $3::text::jsonb)::text", key, oid, `["`+w.cat+`"]`)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for _, c := range []struct {
		what string
		who  *hometest.Session
		want string
	}{{"the owner", w.alice, "true"}, {"nobody's friend", bob, "false"}, {"a maker of tables without rights on this one", carol, "true"}} {
		if got := present(c.who); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
	for _, lock := range []string{
		fmt.Sprintf("select pg_advisory_xact_lock(hashtextextended('%s', 0))", key),
		fmt.Sprintf("select pg_advisory_xact_lock(hashtextextended('tablewright:%s', 0))", w.cat),
	} {
		mustRun(t, w, "begin; "+lock)
		if got := present(carol); got != "false" {
			t.Errorf("while another has the lock of %s: %s", lock, got)
		}
		mustRun(t, w, "rollback")
	}
	for _, begin := range []string{"begin read only", "begin isolation level repeatable read", "begin isolation level serializable"} {
		mustRun(t, w, begin)
		if got := present(w.alice); got != "false" {
			t.Errorf("after %s: %s", begin, got)
		}
		mustRun(t, w, "rollback")
	}
	w.ticketed(t, "drop table "+w.table+" cascade")
	if got := present(w.alice); got != "false" {
		t.Errorf("of a table that is gone: %s", got)
	}
}

// A brief snapshot knows that a table is there and not how it is defined, unless the session leads tables to definitions.
func TestBriefSnapshot(t *testing.T) {
	w := newWorld(t)
	for mode, columns := range map[string]int{"": 0, "plain": 0, "apply": 3, "Apply": 3, "APPLY": 3} {
		if mode != "" {
			mustRun(t, w, "set tablewright.mode = '"+mode+"'")
		}
		got, err := home.ReadSnapshot(t.Context(), w.alice, home.Wanted{Relations: []home.RelationName{{Schema: w.cat, Name: "orders"}}, Brief: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Relations) != 1 {
			t.Fatalf("%d relations", len(got.Relations))
		}
		for _, r := range got.Relations {
			if r.HomeName != "orders" || r.Catalog != w.cat || !r.Managed || r.State != "provisioning" || r.OID == 0 || len(r.Table.Columns) != columns {
				t.Errorf("mode %q: %+v", mode, r)
			}
		}
		mustRun(t, w, "reset tablewright.mode")
	}
}
