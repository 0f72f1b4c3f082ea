package home

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// CancelRequest asks the home database to cancel what the backend pid runs; secret is that backend's own
// key. It returns when the server has taken notice, which says nothing about the result.
func (h *Home) CancelRequest(ctx context.Context, pid uint32, secret []byte) error {
	var failures []error
	for _, t := range h.endpoint.targets {
		err := t.cancel(ctx, pid, secret)
		if err == nil {
			return nil
		}
		failures = append(failures, err)
	}
	return sqlerr.New(sqlerr.CannotConnectNow, "the home database does not answer").WithCause(errors.Join(failures...))
}

// CancelRequest cancels what the connection runs.
func (c *Conn) CancelRequest(ctx context.Context) error {
	return c.target.cancel(ctx, c.PID, c.SecretKey)
}

func (t target) cancel(ctx context.Context, pid uint32, secret []byte) error {
	conn, err := t.dial(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // nothing is left to lose
	defer watch(ctx, conn)()
	frame, err := (&pgproto3.CancelRequest{ProcessID: pid, SecretKey: secret}).Encode(nil)
	if err != nil {
		return fmt.Errorf("cancel request: %w", err)
	}
	if _, err := conn.Write(frame); err != nil {
		return fmt.Errorf("cancel request: %w", err)
	}
	// The server closes the connection when it has sent the signal.
	if _, err := io.Copy(io.Discard, io.LimitReader(conn, 1024)); err != nil && ctx.Err() != nil {
		return fmt.Errorf("cancel request: %w", err)
	}
	return nil
}
