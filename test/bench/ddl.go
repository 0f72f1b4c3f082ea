package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
)

const (
	admin       = "admin"
	catalogName = "shop"
	schemaName  = catalogName + ".s"
	fileTables  = 1_000
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

// measureCreate compares the median of CREATE TABLE statements.
func measureCreate(ctx context.Context, st *stage, conn *pgx.Conn, o options) error {
	progress("ddl: CREATE TABLE")
	b, err := newBare(ctx, st)
	if err != nil {
		return err
	}
	defer b.close(ctx)
	made := 0
	create := func(ctx context.Context, t target) (float64, error) {
		var times []float64
		for range o.tables {
			made++
			name := fmt.Sprintf("t%d", made)
			start := time.Now()
			var err error
			if t.name == direct {
				err = b.create(ctx, name)
			} else {
				_, err = conn.Exec(ctx, "CREATE TABLE "+schemaName+"."+name+" "+tableBody, pgx.QueryExecModeSimpleProtocol)
			}
			if err != nil {
				return 0, err
			}
			times = append(times, milliseconds(time.Since(start)))
		}
		return median(times), nil
	}
	s, err := interleave(ctx, o.rounds, []target{{name: direct}, {name: gateway}}, create)
	if err != nil {
		return err
	}
	printDDL("CREATE TABLE on a PostgreSQL catalog; the same four commits bare", s)
	return nil
}

func printDDL(row string, s series) {
	fmt.Printf("| %s | %.1f | %.1f | **%.2f** |\n", row, s.median(direct), s.median(gateway), s.ratio(gateway, direct))
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
	printDDL(fmt.Sprintf("file of %d CREATE TABLE IF NOT EXISTS on tables that are there", fileTables), s)
	return nil
}

const bareDatabase = "bare"

// bare does by hand what the gateway's CREATE TABLE commits: the record of a job, the shadow with its wall, the table,
// the job's end. It has a database of its own at the home server, where no guard looks on.
type bare struct {
	home, remote *pgx.Conn
	plan         string // as long as a job's
}

func newBare(ctx context.Context, st *stage) (_ *bare, err error) {
	if err := st.home.Exec(ctx, "postgres", "create database "+bareDatabase); err != nil {
		return nil, err
	}
	b := &bare{plan: `{"steps": [{"action": "create", "sql": "CREATE TABLE s.t ` + tableBody + strings.Repeat(" ", 1000) + `"}]}`}
	if b.home, err = st.home.Connect(ctx, bareDatabase); err != nil {
		return nil, err
	}
	if b.remote, err = st.remote.Connect(ctx, "postgres"); err != nil {
		return nil, errors.Join(err, b.home.Close(ctx))
	}
	_, err = b.home.Exec(ctx, `
		create table job (job_id uuid primary key, work_key text unique, kind text, target text, statement text, state text, plan jsonb,
			created timestamptz default now(), finished timestamptz);
		create schema s;
		create foreign data wrapper wall;
		create server wall foreign data wrapper wall;`, pgx.QueryExecModeSimpleProtocol)
	if err == nil {
		_, err = b.remote.Exec(ctx, "create schema bare")
	}
	if err != nil {
		b.close(ctx)
		return nil, err
	}
	return b, nil
}

func (b *bare) close(ctx context.Context) { _ = errors.Join(b.home.Close(ctx), b.remote.Close(ctx)) }

// create makes one table, in four commits.
func (b *bare) create(ctx context.Context, name string) error {
	var job [16]byte
	err := b.home.QueryRow(ctx, `insert into job (job_id, work_key, kind, target, statement, state, plan)
		values (gen_random_uuid(), $1, 'CREATE TABLE', $1, $2, 'running', $3) returning job_id`, name, tableBody, b.plan).Scan(&job)
	if err != nil {
		return err
	}
	for _, step := range []struct {
		conn *pgx.Conn
		sql  string
	}{
		{b.home, fmt.Sprintf("begin; create table s.%[1]s %[2]s; create foreign table s.wall_%[1]s () inherits (s.%[1]s) server wall; commit",
			name, tableBody)},
		{b.remote, fmt.Sprintf("create table bare.%s %s", name, tableBody)},
	} {
		if _, err := step.conn.Exec(ctx, step.sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
	}
	_, err = b.home.Exec(ctx, "update job set state = 'succeeded', finished = now() where job_id = $1", job)
	return err
}
