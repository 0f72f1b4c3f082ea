package e2e

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
)

// A view over a managed table is known by every name that it gets, to every session, once its maker has been told:
// the names that home reads are behind while many come in a row.
func TestViewsAreKnownAtOnce(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	simple := func(c *pgx.ConnConfig) { c.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol }
	maker, reader := connect(t, g, simple), connect(t, g, simple)
	exec := func(sql string) {
		t.Helper()
		if _, err := maker.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	sees := func(view string) {
		t.Helper()
		var n int
		if err := reader.QueryRow(t.Context(), "select count(*) from "+view).Scan(&n); err != nil || n != 2 {
			t.Errorf("%s: %d rows, %v", view, n, err)
		}
	}
	exec("create schema lake.v; create table lake.v.item (id int)")
	exec("insert into lake.v.item values (1), (2)")
	for i := range 8 {
		for _, c := range []struct{ sql, view string }{
			{"create view public.made%d as select id from lake.v.item", "public.made%d"},
			{"alter view public.made%d rename to renamed%[1]d", "public.renamed%d"},
			{"alter table public.renamed%d rename to again%[1]d", "again%d"},
			{"begin; create view public.block%d as select id from lake.v.item; commit", "block%d"},
			{"create view public.over%d as select id from again%[1]d", "over%d"},
		} {
			exec(fmt.Sprintf(c.sql, i))
			sees(fmt.Sprintf(c.view, i))
		}
	}
	// They are known still when their maker has gone.
	if err := maker.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	sees("over7")
}
