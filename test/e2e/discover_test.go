package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
)

// TestDiscoverMany: a system of hundreds of tables is registered in one statement, and each table can be read.
func TestDiscoverMany(t *testing.T) {
	const tables = 300
	ctx := t.Context()
	if err := external.Exec(ctx, "postgres", "create database many"); err != nil {
		t.Fatal(err)
	}
	fill := fmt.Sprintf(`do $$ begin for i in 1..%d loop
		execute format('create table t%%s (id int primary key, a text not null default ''x'', b numeric(10,2), c timestamptz)', i);
		if i %% 500 = 0 then commit; end if;
	end loop; end $$`, tables)
	if err := external.Exec(ctx, "many", fill); err != nil {
		t.Fatal(err)
	}
	g := startGateway(t)
	conn, err := pgx.Connect(ctx, g.dsn())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	register := fmt.Sprintf(`create catalog many with (type = 'postgres', host = '127.0.0.1', port = %d, user = '%s', password = '%s', database = 'many')`,
		external.Port, pgserver.Superuser, pgserver.Password)
	began := time.Now()
	if _, err := conn.Exec(ctx, register); err != nil {
		t.Fatal(err)
	}
	registered := time.Since(began)
	var count int
	if err := conn.QueryRow(ctx, "select count(*) from tablewright.relation where catalog = 'many' and managed = 'observed'").Scan(&count); err != nil || count != tables {
		t.Fatalf("%d tables are found, %v; want %d", count, err, tables)
	}
	for _, i := range []int{1, tables / 2, tables} {
		if err := conn.QueryRow(ctx, fmt.Sprintf("select count(*) from many.public.t%d", i)).Scan(&count); err != nil || count != 0 {
			t.Errorf("table %d: %d rows, %v", i, count, err)
		}
	}
	if err := external.Exec(ctx, "many", "drop table t1; alter table t2 drop column b; create table t0 (a int)"); err != nil {
		t.Fatal(err)
	}
	began = time.Now()
	if _, err := conn.Exec(ctx, "refresh catalog many"); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d tables registered in %v, refreshed in %v", tables, registered, time.Since(began))
	if err := conn.QueryRow(ctx, `select count(*) from tablewright.relation x join pg_class c on c.oid = x.oid
		where x.catalog = 'many' and c.relname in ('t0', 't1', 't2') and c.relnatts < 5`).Scan(&count); err != nil || count != 2 {
		t.Errorf("%d of the changed tables are there, %v; want 2", count, err)
	}
}

// TestShowCreatePrepared: SHOW CREATE is a statement like others to drivers: described before it is executed, in
// text and binary.
func TestShowCreatePrepared(t *testing.T) {
	ctx := t.Context()
	g := startGateway(t)
	conn, err := pgx.Connect(ctx, g.dsn())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for _, sql := range []string{"create schema lake.s", "create table lake.s.t (id bigint primary key, d date) partitioned by (days(d))", "create view v as select id from lake.s.t"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	described, err := conn.Prepare(ctx, "shown", "show create table lake.s.t")
	if err != nil || len(described.Fields) != 1 || described.Fields[0].Name != "definition" {
		t.Fatalf("described as %+v, %v", described, err)
	}
	for _, format := range []int16{pgx.TextFormatCode, pgx.BinaryFormatCode} {
		var text string
		if err := conn.QueryRow(ctx, "shown", pgx.QueryResultFormats{format}).Scan(&text); err != nil {
			t.Fatal(err)
		}
		if want := "CREATE TABLE lake.s.t (\n  id bigint,\n  d date,\n  PRIMARY KEY (id)\n)\nPARTITIONED BY (days(d));"; text != want {
			t.Errorf("shown as\n%s\nwant\n%s", text, want)
		}
	}
	// A view is prepared, described and read with parameters.
	var n int
	if err := conn.QueryRow(ctx, "select count(*) from v where id > $1", 0).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d rows, %v", n, err)
	}
	for _, sql := range []string{"show catalogs", "show schemas from lake", "show tables like 't'", "describe lake.s.t", "show jobs limit 1"} {
		rows, err := conn.Query(ctx, sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		count := 0
		for rows.Next() {
			count++
		}
		if rows.Err() != nil || count == 0 {
			t.Errorf("%s: %d rows, %v", sql, count, rows.Err())
		}
	}
}
