package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// cancelGrace is how long a cancelled statement may take to end before its connection is cut.
const cancelGrace = 500 * time.Millisecond

// canceller ends the statement of a connection whose context ended. Unlike pgx's own it does not wait
// for a request that arrives late: such a connection is never used again (see release).
type canceller struct {
	conn *pgconn.PgConn
	sent chan struct{}
}

// HandleCancel asks the server to cancel, and bounds how long its answer is waited for.
func (c *canceller) HandleCancel(ended context.Context) {
	deadline := time.Now().Add(cancelGrace)
	// A connection on which that fails is broken, which its reader finds out.
	_ = c.conn.Conn().SetDeadline(deadline)
	c.sent = make(chan struct{})
	go func() {
		defer close(c.sent)
		ctx, cancel := context.WithDeadline(context.WithoutCancel(ended), deadline)
		defer cancel()
		// A request that does not get through leaves the deadline.
		_ = c.conn.CancelRequest(ctx)
	}()
}

// HandleUnwatchAfterCancel waits for the request's goroutine.
func (c *canceller) HandleUnwatchAfterCancel() { <-c.sent }
