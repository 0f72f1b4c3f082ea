package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
)

const (
	admin        = "admin"
	catalogName  = "shop"
	schemaName   = catalogName + ".s"
	fileTables   = 1_000
	leaseOfBench = time.Minute
)

// tableBody is what the tables are made of.
const tableBody = `(id bigint PRIMARY KEY, customer text NOT NULL, amount numeric(10,2) NOT NULL, note varchar(200), at timestamptz)`

// measureDDL compares CREATE TABLE with what it is made of, and runs a file that has nothing left to do.
func measureDDL(ctx context.Context, st *stage, o options) error {
	conn, err := pgx.Connect(ctx, adminDSN(st.gateway.Port))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, sql := range []string{
		fmt.Sprintf(`create catalog %s with (type = 'postgres', host = '%s', port = %d, user = '%s', password = '%s', database = 'postgres')`,
			catalogName, pgserver.Host, st.remote.Port, pgserver.Superuser, pgserver.Password),
		"create schema " + schemaName,
	} {
		if _, err := conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	fmt.Print("\n## DDL\n\n| | PostgreSQL, ms | Tablewright, ms | **ratio** |\n| --- | --: | --: | --: |\n")
	if err := measureCreate(ctx, st, conn, o); err != nil {
		return err
	}
	return measureFile(ctx, st, o.rounds)
}

func adminDSN(port int) string {
	return fmt.Sprintf("host=127.0.0.1 port=%d user=%s dbname=%s sslmode=disable", port, admin, database)
}

// measureCreate compares the medians of CREATE TABLE statements with those of the commits that they are made of, as the
// gateway sends them and at their least.
func measureCreate(ctx context.Context, st *stage, conn *pgx.Conn, o options) error {
	progress("ddl: CREATE TABLE")
	least, err := newBare(ctx, st)
	if err != nil {
		return err
	}
	defer least.close(ctx)
	own, err := newSame(ctx, st, least.plan)
	if err != nil {
		return err
	}
	defer own.close(ctx)
	makers := map[string]func(ctx context.Context, name string) error{
		direct:      least.create,
		sameCommits: own.create,
		gateway: func(ctx context.Context, name string) error {
			_, err := conn.Exec(ctx, "CREATE TABLE "+schemaName+"."+name+" "+tableBody, pgx.QueryExecModeSimpleProtocol)
			return err
		},
	}
	made := 0
	create := func(ctx context.Context, t target) (float64, error) {
		var times []float64
		for range o.tables {
			made++
			start := time.Now()
			if err := makers[t.name](ctx, fmt.Sprintf("t%d", made)); err != nil {
				return 0, fmt.Errorf("%s: %w", t.name, err)
			}
			times = append(times, milliseconds(time.Since(start)))
		}
		return median(times), nil
	}
	s, err := interleave(ctx, o.rounds, []target{{name: direct}, {name: sameCommits}, {name: gateway}}, create)
	if err != nil {
		return err
	}
	printDDL("CREATE TABLE on a PostgreSQL catalog; its four commits bare", sameCommits, s)
	printDDL("the same; four commits without guard, registry and events", direct, s)
	return nil
}

const sameCommits = "same commits"

func printDDL(row, reference string, s series) {
	fmt.Printf("| %s | %.1f | %.1f | **%.2f** |\n", row, s.median(reference), s.median(gateway), s.ratio(gateway, reference))
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// measureFile runs a file of CREATE TABLE IF NOT EXISTS over one connection of psql, all of whose tables are there.
func measureFile(ctx context.Context, st *stage, rounds int) error {
	progress("ddl: a file of %d statements", fileTables)
	run := func(ctx context.Context, t target) (float64, error) {
		file := filepath.Join(st.dir, t.name+".sql")
		psql := st.client(ctx, "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", adminDSN(t.port), "-f", file)
		if t.name == direct {
			psql = st.client(ctx, "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", bareDatabase, "-f", file)
		}
		psql.Env = append(psql.Env, "PGOPTIONS=-c client_min_messages=warning")
		start := time.Now()
		out, err := psql.CombinedOutput()
		if err != nil {
			return 0, fmt.Errorf("psql at %s: %w\n%s", t.name, err, out)
		}
		return milliseconds(time.Since(start)), nil
	}
	targets := []target{{name: direct}, {name: gateway, port: st.gateway.Port}}
	for _, t := range targets {
		prefix := "s."
		if t.name == gateway {
			prefix = schemaName + "."
		}
		var text strings.Builder
		for i := range fileTables {
			fmt.Fprintf(&text, "CREATE TABLE IF NOT EXISTS %sf%d %s;\n", prefix, i, tableBody)
		}
		if err := os.WriteFile(filepath.Join(st.dir, t.name+".sql"), []byte(text.String()), 0o644); err != nil {
			return err
		}
		if _, err := run(ctx, t); err != nil { // makes them
			return err
		}
	}
	s, err := interleave(ctx, rounds, targets, run)
	if err != nil {
		return err
	}
	printDDL(fmt.Sprintf("file of %d CREATE TABLE IF NOT EXISTS on tables that are there", fileTables), direct, s)
	return nil
}
