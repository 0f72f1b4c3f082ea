package main

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/session"
)

// homeLinks opens the sessions' connections to the home database, and no more than max of them.
type homeLinks struct {
	*home.Home
	max  int64
	open *atomic.Int64
}

func newHomeLinks(db *home.Home, maximum int) homeLinks {
	return homeLinks{Home: db, max: int64(maximum), open: new(atomic.Int64)}
}

// Connect logs in as the role itself. The home server's own refusal is passed on as it is.
func (h homeLinks) Connect(ctx context.Context, id session.Identity) (*session.Link, error) {
	if h.open.Add(1) > h.max {
		h.open.Add(-1)
		return nil, sqlerr.New(sqlerr.TooManyConnections, "sorry, too many clients already")
	}
	conn, err := h.Login(ctx, home.Login{User: id.User, Database: id.Database, Params: id.Parameters, Keys: id.Keys})
	if err != nil {
		h.open.Add(-1)
		return nil, loginError(err)
	}
	return &session.Link{
		Conn: &countedConn{Conn: conn.Conn, closed: func() { h.open.Add(-1) }},
		PID:  conn.PID, Secret: conn.SecretKey, Parameters: conn.ParameterStatuses,
	}, nil
}

// Cancel asks the home server to cancel what a connection runs.
func (h homeLinks) Cancel(ctx context.Context, link *session.Link) error {
	return h.CancelRequest(ctx, link.PID, link.Secret)
}

// countedConn tells when it is closed.
type countedConn struct {
	net.Conn
	once   sync.Once
	closed func()
}

func (c *countedConn) Close() error {
	c.once.Do(c.closed)
	return c.Conn.Close()
}

func loginError(err error) error {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return &sqlerr.Error{Code: e.Code, Message: e.Message, Detail: e.Detail, Hint: e.Hint}
	}
	return sqlerr.Wrap(err, sqlerr.CannotConnectNow, "the home database does not answer")
}
