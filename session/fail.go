package session

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// errAnswered ends a statement whose error the client has been sent already.
var errAnswered = errors.New("answered")

// raiseQuery makes the home server itself raise an error of ours, so that both agree on the state of the
// transaction.
const raiseQuery = "select tablewright.raise($1, $2, $3, $4)"

// fail answers an error of ours in the extended protocol: the client's messages are then dropped up to
// its Sync. A fault of the connection is returned.
func (s *Session) fail(ctx context.Context, err error) error {
	s.held = nil
	if errors.Is(err, errBackendGone) || errors.Is(err, errTerminate) {
		return err
	}
	e := sqlerr.From(err)
	answered := errors.Is(err, errAnswered)
	if e.Code == sqlerr.InternalError && !answered {
		s.log.Error().Err(errors.Unwrap(e)).Msg("internal error")
	}
	if s.backend == nil {
		s.skip = true
		return s.client.Send(ErrorReply{e})
	}
	tx, failed, err := s.backend.drain()
	if err != nil {
		return err
	}
	if !s.tx.inBlock(tx) {
		// The error takes the implicit transaction back, and what was staged in it.
		s.tx.discard()
	}
	switch {
	case answered:
		return nil
	case failed:
		// The home server failed in a query of ours: it skips to the Sync already.
		return s.client.Send(ErrorReply{e})
	case tx == 'E' || !s.transactionOpen(tx):
		s.skip = true
		return s.client.Send(ErrorReply{e})
	default:
		return s.raise(ctx, e)
	}
}

// raise fails the open transaction of the home server with an error of ours.
func (s *Session) raise(ctx context.Context, e *sqlerr.Error) error {
	x := newExchange(s.client)
	x.edit = func(m *pgproto3.ErrorResponse) {
		*m = pgproto3.ErrorResponse{
			Severity: "ERROR", SeverityUnlocalized: "ERROR",
			Code: e.Code, Message: e.Message, Detail: e.Detail, Hint: e.Hint,
			Position:   int32(max(e.Position, 0)), //nolint:gosec // bounded by the longest statement
			SchemaName: e.Schema, TableName: e.Table, ColumnName: e.Column,
			DataTypeName: e.DataType, ConstraintName: e.Constraint,
		}
	}
	args := texts(e.Code, e.Message)
	args = append(args, optional(e.Detail), optional(e.Hint))
	if err := s.addQuery(x, raiseQuery, args); err != nil {
		return err
	}
	// Not under the statement's context: that may be why it failed.
	err := s.backend.run(context.WithoutCancel(ctx), x, func() {})
	if errors.Is(err, errBackendGone) {
		return err
	}
	if err == nil {
		return sqlerr.New(sqlerr.InternalError, "the home database did not raise an error")
	}
	return nil
}

func optional(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}
