package apply

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// cancelMax is how long a cancelled statement may take to end before the connection is given up.
const cancelMax = 30 * time.Second

// connection is the one to the gateway.
type connection struct {
	pg      *pgconn.PgConn
	notices []*pgconn.Notice // of the statement that runs
	tag     string           // of the last statement that succeeded
}

// connect opens it. What dsn leaves out is taken from libpq's environment.
func connect(ctx context.Context, dsn string) (*connection, error) {
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("--dsn is not a connection string of PostgreSQL") // the cause would show it
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "tablewright apply"
	}
	c := &connection{}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { c.notices = append(c.notices, n) }
	config.BuildContextWatcherHandler = func(pg *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: pg, DeadlineDelay: cancelMax}
	}
	if c.pg, err = pgconn.ConnectConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("cannot connect: %w", err)
	}
	return c, nil
}

func (c *connection) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = c.pg.Close(ctx) // an open transaction is rolled back by the server
}

// run sends SQL as a simple query and returns the first value that it answers.
func (c *connection) run(ctx context.Context, sql string) (value string, err error) {
	c.notices = nil
	results := c.pg.Exec(ctx, sql)
	for results.NextResult() {
		reader := results.ResultReader()
		for reader.NextRow() {
			if value == "" && len(reader.Values()) > 0 {
				value = string(reader.Values()[0])
			}
		}
		commandTag, readErr := reader.Close()
		if readErr == nil {
			c.tag = commandTag.String()
		}
	}
	return value, results.Close()
}

// query answers rows as text.
func (c *connection) query(ctx context.Context, sql string, args ...string) ([][]string, error) {
	values := make([][]byte, len(args))
	for i, arg := range args {
		values[i] = []byte(arg)
	}
	answer := c.pg.ExecParams(ctx, sql, values, nil, nil, nil).Read()
	if answer.Err != nil {
		return nil, answer.Err
	}
	rows := make([][]string, 0, len(answer.Rows))
	for _, row := range answer.Rows {
		texts := make([]string, len(row))
		for i, value := range row {
			texts[i] = string(value)
		}
		rows = append(rows, texts)
	}
	return rows, nil
}

// inBlock tells whether a transaction block is open.
func (c *connection) inBlock() bool { return c.pg.TxStatus() != 'I' }

// failed tells whether it is one that can only be rolled back.
func (c *connection) failed() bool { return c.pg.TxStatus() == 'E' }

// skipped tells whether the last statement's notices say that what it makes is there, or what it drops is not.
func (c *connection) skipped() bool {
	for _, n := range c.notices {
		if strings.HasSuffix(n.Message, ", skipping") {
			return true
		}
	}
	return false
}
