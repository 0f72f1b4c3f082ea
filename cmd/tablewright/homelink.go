package main

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/session"
)

// homeLinks opens the sessions' connections to the home database.
type homeLinks struct{ *home.Home }

// Connect logs in as the role itself. The home server's own refusal is passed on as it is.
func (h homeLinks) Connect(ctx context.Context, user, database string, parameters map[string]string) (*session.Link, error) {
	conn, err := h.ConnectAs(ctx, user, database, parameters)
	if err != nil {
		return nil, loginError(err)
	}
	return &session.Link{
		Conn: conn.Conn, PID: conn.PID, Secret: conn.SecretKey, Parameters: conn.ParameterStatuses,
	}, nil
}

// Cancel asks the home server to cancel what a connection runs.
func (h homeLinks) Cancel(ctx context.Context, link *session.Link) error {
	return h.CancelRequest(ctx, link.PID, link.Secret)
}

func loginError(err error) error {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return &sqlerr.Error{Code: e.Code, Message: e.Message, Detail: e.Detail, Hint: e.Hint}
	}
	return sqlerr.Wrap(err, sqlerr.CannotConnectNow, "the home database does not answer")
}
