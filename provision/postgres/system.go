package postgres

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/provision"
)

// System is one opened catalog. It is safe for use by several goroutines.
type System struct {
	catalog       string
	pool          *pgxpool.Pool
	errs          translator
	defaultSchema string
}

var (
	_ provision.Provisioner = (*System)(nil)
	_ provision.Scanner     = (*System)(nil)
	_ provision.Writer      = (*System)(nil)
	_ provision.Describer   = (*System)(nil)
)

// Close waits for running calls and open scans, and closes the connections.
func (s *System) Close() error {
	s.pool.Close()
	return nil
}

// The names of the calls that are reported.
const (
	stepCreateSchema = "create schema"
	stepDropSchema   = "drop schema"
	stepCreateTable  = "create table"
	stepComments     = "comment on table"
	stepLockTable    = "lock table"
	stepAlterTable   = "alter table"
	stepDropTable    = "drop table"
	stepCommit       = "commit"
)

// Steps names the calls that an action on r makes.
func (s *System) Steps(action plan.Action, r plan.Resource) []string {
	schema := r.Kind == plan.SchemaKind
	switch action {
	case plan.Create, plan.Ensure:
		if schema {
			return []string{stepCreateSchema, stepCommit}
		}
		if len(commentStatements("", "", r.Table)) > 0 {
			return []string{stepCreateTable, stepComments, stepCommit}
		}
		return []string{stepCreateTable, stepCommit}
	case plan.Alter:
		if schema {
			return nil
		}
		return []string{stepLockTable, stepAlterTable, stepCommit}
	case plan.Drop:
		if schema {
			return []string{stepDropSchema, stepCommit}
		}
		return []string{stepLockTable, stepDropTable, stepCommit}
	case plan.Open:
		return nil
	}
	return nil
}

// name is the place of an object on the server; table is empty for a schema.
type name struct {
	schema, table string
}

func (s *System) name(r plan.Resource) (name, error) {
	schema, table, err := provision.LayeredPath(r, s.defaultSchema)
	return name{schema, table}, err
}

// sql is the name in SQL quoting.
func (n name) sql() string {
	if n.table == "" {
		return ident(n.schema)
	}
	return ident(n.schema) + "." + ident(n.table)
}

// conn is a connection of the pool.
type conn struct {
	*pgxpool.Conn
}

func (s *System) acquire(ctx context.Context) (*conn, error) {
	c, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, s.errs.connect(ctx, err)
	}
	return &conn{c}, nil
}

// release gives the connection back. One whose context ended is not used again: the request to cancel
// its statement may arrive late and would hit the next one.
func (c *conn) release(ctx context.Context) {
	if ctx.Err() != nil {
		closeNow(ctx, c)
	}
	c.Release()
}

// closeNow cuts the connection without the farewell that would wait for the network.
func closeNow(ctx context.Context, c *conn) {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	// The connection is given up: what closing it says cannot matter to anyone.
	_ = c.Conn.Conn().Close(ended)
}
