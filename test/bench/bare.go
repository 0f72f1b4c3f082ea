package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

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
