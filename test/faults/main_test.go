// Package faults hinders statements from outside, at each call that the gateway makes to a system, and
// compares what is there afterwards with what was there before: in the systems, at home and in the history.
package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
	"github.com/tablewright/tablewright/test/gatewaytest"
)

var (
	gateway *gatewaytest.Gateway
	systems [2]*pgserver.Server // two PostgreSQLs that are not the home database
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for i := range systems {
		if systems[i], err = pgserver.Start(ctx); err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, systems[i].Stop()) }()
	}
	// Nothing but the statements under test is to call the systems.
	gateway, err = gatewaytest.Start(ctx, "TABLEWRIGHT_SECRET_EXT="+pgserver.Password, "TABLEWRIGHT_CATALOG_REFRESH=0")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, gateway.Stop()) }()
	return m.Run(), nil
}

// whole tells that every call is hindered in every way: `make undo`.
func whole() bool { return os.Getenv("UNDO_WHOLE") != "" }

// session logs in at the gateway. heard is told of notices; nil when nobody listens.
func session(t *testing.T, heard func(*pgconn.Notice)) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(fmt.Sprintf("postgres://admin@%s/%s?sslmode=disable", gateway.Address(), gatewaytest.Database))
	if err != nil {
		t.Fatal(err)
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if heard != nil {
			heard(n)
		}
	}
	conn, err := pgx.ConnectConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// send sends statements one after the other, as psql does.
func send(conn *pgx.Conn, statements ...string) error {
	for _, sql := range statements {
		if _, err := conn.Exec(context.Background(), sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}
