package e2e

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

func connect(t *testing.T, g *gateway, change ...func(*pgx.ConnConfig)) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(g.dsn())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(config)
	}
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func TestPgxPassThrough(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
		pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		t.Run(mode.String(), func(t *testing.T) {
			conn := connect(t, g, func(c *pgx.ConnConfig) { c.DefaultQueryExecMode = mode })
			for range 3 {
				var n int
				var s string
				err := conn.QueryRow(t.Context(), "select $1::int + 1, $2::text", 41, "ß").Scan(&n, &s)
				if err != nil || n != 42 || s != "ß" {
					t.Fatalf("got %d, %q, %v", n, s, err)
				}
			}
			_, err := conn.Exec(t.Context(), "select * from nope")
			var e *pgconn.PgError
			if !errors.As(err, &e) || e.Code != "42P01" || e.Position != 15 {
				t.Fatalf("got %v, want 42P01 at 15", err)
			}
		})
	}
}

func TestPgxTransactionsAndPipelines(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	conn := connect(t, g)
	ctx := t.Context()
	if _, err := conn.Exec(ctx, "create table item (id int primary key)"); err != nil {
		t.Fatal(err)
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, "insert into item values (1)"); err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	batch := &pgx.Batch{}
	for i := range 5 {
		batch.Queue("insert into item values ($1)", i)
	}
	batch.Queue("select 1/0")
	batch.Queue("insert into item values (99)")
	if err := conn.SendBatch(ctx, batch).Close(); err == nil {
		t.Fatal("a failing batch succeeded")
	}
	rows := make([][]any, 1000)
	for i := range rows {
		rows[i] = []any{i + 100}
	}
	n, err := conn.CopyFrom(ctx, pgx.Identifier{"item"}, []string{"id"}, pgx.CopyFromRows(rows))
	if err != nil || n != 1000 {
		t.Fatalf("copied %d, %v", n, err)
	}
	var count int
	if err := conn.QueryRow(ctx, "select count(*) from item").Scan(&count); err != nil || count != 1000 {
		t.Fatalf("%d rows, %v: the failed batch must have left none", count, err)
	}
}

func TestPgxCancel(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	conn := connect(t, g)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	ready := make(chan struct{})
	go func() {
		<-ready
		// The statement is under way once the server shows it; ask from another session.
		other := connect(t, g)
		for ctx.Err() == nil {
			var n int
			if err := other.QueryRow(ctx, "select count(*) from pg_stat_activity where query = 'select pg_sleep(60)'").Scan(&n); err == nil && n > 0 {
				break
			}
		}
		_ = conn.PgConn().CancelRequest(ctx)
	}()
	close(ready)
	_, err := conn.Exec(ctx, "select pg_sleep(60)", pgx.QueryExecModeSimpleProtocol)
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != "57014" {
		t.Fatalf("got %v, want 57014", err)
	}
	var one int
	if err := conn.QueryRow(ctx, "select 1").Scan(&one); err != nil {
		t.Fatalf("the session did not go on: %v", err)
	}
}

// Many sessions at once, each with its own settings and transaction.
func TestPgxPool(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	config, err := pgxpool.ParseConfig(g.dsn())
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 20
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	results := make(chan error, 20)
	for i := range 20 {
		go func() {
			results <- pool.AcquireFunc(t.Context(), func(c *pgxpool.Conn) error {
				want := fmt.Sprintf("client %d", i)
				if _, err := c.Exec(t.Context(), "select set_config('application_name', $1, false)", want); err != nil {
					return err
				}
				for range 20 {
					var got string
					if err := c.QueryRow(t.Context(), "show application_name").Scan(&got); err != nil {
						return err
					}
					if diff := cmp.Diff(want, got); diff != "" {
						return errors.New(diff)
					}
				}
				return nil
			})
		}()
	}
	for range 20 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

// DDL that commits itself leaves a client of the extended protocol in its block.
func TestPgxDDLThatCommitsItself(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	conn := connect(t, g)
	exec := func(sql string, want byte) error {
		t.Helper()
		_, err := conn.Exec(t.Context(), sql)
		if got := conn.PgConn().TxStatus(); got != want {
			t.Fatalf("%s: state %c, want %c (%v)", sql, got, want, err)
		}
		return err
	}
	must := func(sql string, want byte) {
		t.Helper()
		if err := exec(sql, want); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	must("set tablewright.ddl_in_transaction = autocommit", 'I')
	must("create schema lake.x", 'I')
	must("create table public.beside (a int)", 'I')
	must("begin", 'T')
	must("insert into public.beside values (1)", 'T')
	must("create table lake.x.t (a int)", 'T')
	must("alter table lake.x.t add column b int", 'T')
	var e *pgconn.PgError
	if err := exec("create table lake.x.t (a int)", 'E'); !errors.As(err, &e) || e.Code != "42P07" {
		t.Fatalf("got %v, want 42P07", err)
	}
	must("rollback", 'I')
	var beside, columns int
	err := conn.QueryRow(t.Context(), `select (select count(*) from public.beside),
		(select count(*) from information_schema.columns where table_schema = 'lake.x' and table_name = 't')`).Scan(&beside, &columns)
	if err != nil || beside != 1 || columns != 2 {
		t.Fatalf("%d rows and %d columns stayed (%v), want 1 and 2", beside, columns, err)
	}
}
