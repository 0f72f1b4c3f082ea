package e2e

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
)

func mustExec(t *testing.T, conn *pgx.Conn, sql string, args ...any) pgconn.CommandTag {
	t.Helper()
	tag, err := conn.Exec(t.Context(), sql, args...)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return tag
}

func TestPgxTables(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
		t.Run(mode.String(), func(t *testing.T) {
			var notices []string
			conn := connect(t, g, func(c *pgx.ConnConfig) {
				c.DefaultQueryExecMode = mode
				c.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { notices = append(notices, n.Message) }
			})
			mustExec(t, conn, "create schema lake.p")
			if tag := mustExec(t, conn, "create table lake.p.t (id bigint primary key, at timestamptz, tags text[])"); tag.String() != "CREATE TABLE" {
				t.Fatalf("tag %q", tag)
			}
			if len(notices) == 0 {
				t.Fatal("no notice of the key that is not enforced")
			}
			at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
			for i := range 3 {
				mustExec(t, conn, "insert into lake.p.t values ($1, $2, $3)", i, at.Add(time.Duration(i)*time.Hour), []string{"a", fmt.Sprint(i)})
			}
			type row struct {
				ID   int64
				At   time.Time
				Tags []string
			}
			rows, err := conn.Query(t.Context(), "select * from lake.p.t where id < $1 order by id desc", 2)
			if err != nil {
				t.Fatal(err)
			}
			got, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
			if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				got[i].At = got[i].At.UTC()
			}
			want := []row{{1, at.Add(time.Hour), []string{"a", "1"}}, {0, at, []string{"a", "0"}}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
			mustExec(t, conn, "drop table lake.p.t")
			mustExec(t, conn, "drop schema lake.p")
		})
	}
}

// A pipeline is one transaction up to its Sync, ours and the home database's statements mixed.
func TestPgxPipelineWithTables(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	conn := connect(t, g, func(c *pgx.ConnConfig) { c.DefaultQueryExecMode = pgx.QueryExecModeExec })
	mustExec(t, conn, "create schema lake.p")
	failing := &pgx.Batch{}
	failing.Queue("create table public.noted (v int)")
	failing.Queue("create table lake.p.never (a int)")
	failing.Queue("select 1/0")
	if err := conn.SendBatch(t.Context(), failing).Close(); err == nil {
		t.Fatal("a failing batch succeeded")
	}
	working := &pgx.Batch{}
	working.Queue("create table public.noted (v int)")
	working.Queue("create table lake.p.a (a int)")
	working.Queue("insert into public.noted values (1)")
	working.Queue("create table lake.p.b (a int)")
	if err := conn.SendBatch(t.Context(), working).Close(); err != nil {
		t.Fatal(err)
	}
	rows, err := conn.Query(t.Context(), "select target || ' ' || state from tablewright.jobs where kind = 'CREATE TABLE' order by created, job_id")
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"lake.p.a succeeded", "lake.p.b succeeded"}, got); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
}

// Ten sessions make the same table at once: one does, the others are told so in an orderly way.
func TestSameTableAtOnce(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	mustExec(t, connect(t, g), "create schema lake.p")
	var mu sync.Mutex
	codes := map[string]int{}
	var wg sync.WaitGroup
	for i := range 10 {
		conn := connect(t, g)
		sql := "create table lake.p.same (a int)"
		if i%2 == 1 {
			sql = "create table if not exists lake.p.same (a int)"
		}
		wg.Go(func() {
			_, err := conn.Exec(context.Background(), sql)
			code := "done"
			if e, ok := errors.AsType[*pgconn.PgError](err); ok {
				code = e.Code
			} else if err != nil {
				code = err.Error()
			}
			mu.Lock()
			defer mu.Unlock()
			codes[code]++
		})
	}
	wg.Wait()
	for code := range codes {
		if code != "done" && code != "42P07" && code != "55006" {
			t.Errorf("unexpected answer %s", code)
		}
	}
	if codes["done"] < 5 {
		t.Errorf("IF NOT EXISTS must succeed: %v", codes)
	}
	var made int
	err := connect(t, g).QueryRow(t.Context(),
		"select count(*) from tablewright.jobs where target = 'lake.p.same' and state = 'succeeded'").Scan(&made)
	if err != nil || made != 1 {
		t.Fatalf("made %d times, %v (%v)", made, err, codes)
	}
}

// registerExternal registers the external PostgreSQL's database postgres as catalog ext, with its password
// in the statement: it goes to the secret store.
func registerExternal(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	mustExec(t, conn, fmt.Sprintf(`create catalog ext with (type = 'postgres', host = '%s', port = %d, user = '%s', password = '%s', database = 'postgres')`,
		pgserver.Host, external.Port, pgserver.Superuser, pgserver.Password))
}

// ask runs a query about one schema on the external server and returns its one answer, by lines without
// the schema's own name.
func ask(t *testing.T, conn *pgx.Conn, query, schema string) []string {
	t.Helper()
	condition := "'" + schema + "'"
	if strings.Contains(query, "connamespace") {
		condition += "::regnamespace"
	}
	var text string
	if err := conn.QueryRow(t.Context(), query+condition).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.ReplaceAll(text, schema+".", ""), "\n")
}

// A result of many batches comes whole, also through a portal with a row limit; a client that leaves in the
// middle of one does not keep the catalog's connections.
func TestLongResults(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	conn := connect(t, g)
	registerExternal(t, conn)
	mustExec(t, conn, "create schema ext.long")
	mustExec(t, conn, "create table ext.long.n (n int, label text)")
	direct, err := external.Connect(t.Context(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close(t.Context())
	if _, err := direct.Exec(t.Context(), "insert into long.n select i, 'row ' || i from generate_series(1, 25000) i"); err != nil {
		t.Fatal(err)
	}
	for range 20 { // more than a catalog has connections
		leaver := connect(t, g)
		rows, err := leaver.Query(t.Context(), "select n, label from ext.long.n")
		if err != nil {
			t.Fatal(err)
		}
		rows.Next()
		_ = leaver.PgConn().Conn().Close()
	}
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
		rows, err := conn.Query(t.Context(), "select n from ext.long.n where n % 2 = 0", mode)
		if err != nil {
			t.Fatal(err)
		}
		got, err := pgx.CollectRows(rows, pgx.RowTo[int])
		if err != nil || len(got) != 12500 {
			t.Fatalf("%s: %d rows, %v", mode, len(got), err)
		}
	}
	var sum int64
	if err := conn.QueryRow(t.Context(), "select sum(n) from ext.long.n").Scan(&sum); err != nil || sum != 25000*25001/2 {
		t.Fatalf("%d, %v", sum, err)
	}
	mustExec(t, conn, "drop table ext.long.n")
	mustExec(t, conn, "drop schema ext.long")
}
