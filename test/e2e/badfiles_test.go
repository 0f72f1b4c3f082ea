package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A syntax error in the 40th statement of one message: nothing of the message runs, and the position is
// that in the whole text, in characters.
func TestSyntaxErrorInTheFortiethStatement(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	conn := connect(t, g)
	mustExec(t, conn, "create schema lake.f")
	var b strings.Builder
	for i := range 39 {
		fmt.Fprintf(&b, "create table lake.f.t%d (a int); -- ünï\n", i)
	}
	b.WriteString("create table lake.f.last (a int,, b int);\ncreate table lake.f.after (a int);")
	_, err := conn.Exec(t.Context(), b.String(), pgx.QueryExecModeSimpleProtocol)
	before, _, _ := strings.Cut(b.String(), ",,")
	want := len([]rune(before)) + 2 // the second comma
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != "42601" || int(e.Position) != want {
		t.Fatalf("got %v, want 42601 at %d", err, want)
	}
	var jobs, shadows int
	err = conn.QueryRow(t.Context(), "select (select count(*) from tablewright.jobs where kind = 'CREATE TABLE'), (select count(*) from tablewright.relation)").Scan(&jobs, &shadows)
	if err != nil || jobs != 0 || shadows != 0 {
		t.Fatalf("%d jobs and %d shadows were left, %v", jobs, shadows, err)
	}
}

func TestWideTable(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	conn := connect(t, g)
	registerExternal(t, conn)
	columns := make([]string, 200)
	values := make([]string, 200)
	for i := range columns {
		columns[i], values[i] = fmt.Sprintf("column_number_%d numeric(10,2)", i), fmt.Sprint(i)
	}
	mustExec(t, conn, "create schema lake.wide")
	mustExec(t, conn, "create schema ext.wide")
	for _, table := range []string{"lake.wide.t", "ext.wide.t"} {
		mustExec(t, conn, "create table "+table+" ("+strings.Join(columns, ", ")+")")
		mustExec(t, conn, "insert into "+table+" values ("+strings.Join(values, ", ")+")")
		var last string
		if err := conn.QueryRow(t.Context(), "select column_number_199::text from "+table+" where column_number_0 = 0").Scan(&last); err != nil || last != "199.00" {
			t.Fatalf("%s: %q, %v", table, last, err)
		}
		mustExec(t, conn, "drop table "+table)
	}
	mustExec(t, conn, "drop schema ext.wide")
}
