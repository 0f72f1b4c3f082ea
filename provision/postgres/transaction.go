package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tablewright/tablewright/provision"
)

const (
	xactPollMin = 10 * time.Millisecond
	xactPollMax = 500 * time.Millisecond
)

// transaction is one remote transaction on one connection.
type transaction struct {
	*conn
	s    *System
	call provision.Call
	xid  string // full id (xid8), known after assignID
}

// transact runs work in one remote transaction and commits it. The server itself gives up waiting for
// locks, and statements, when ctx's deadline passes. When the answer to COMMIT is lost, the server is
// asked on another connection what became of the transaction.
func (s *System) transact(ctx context.Context, call provision.Call, work func(context.Context, *transaction) error) error {
	c, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	tx := &transaction{conn: c, s: s, call: call}
	unclear, err := tx.run(ctx, work)
	c.release(ctx)
	if unclear {
		return s.resolve(ctx, tx.xid, err)
	}
	return err
}

// errAbandon ends a transaction without an error to the caller.
var errAbandon = errors.New("transaction abandoned")

func (tx *transaction) run(ctx context.Context, work func(context.Context, *transaction) error) (unclear bool, err error) {
	if err := tx.simple(ctx, "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; "+limits(ctx)); err != nil {
		return false, tx.s.errs.later(ctx, err)
	}
	if err := work(ctx, tx); err != nil {
		tx.rollback(ctx)
		if errors.Is(err, errAbandon) {
			return false, nil
		}
		return false, err
	}
	return tx.commit(ctx)
}

// limits bounds waiting on the server by the time that ctx has left.
func limits(ctx context.Context) string {
	left := int64(0) // no limit
	if deadline, ok := ctx.Deadline(); ok {
		left = max(time.Until(deadline).Milliseconds(), 1)
	}
	return fmt.Sprintf("SET LOCAL lock_timeout = %d; SET LOCAL statement_timeout = %d", left, left)
}

// simple runs statements of this package's own text, which hold no user's expression.
func (tx *transaction) simple(ctx context.Context, sql string) error {
	return tx.Conn.Conn().PgConn().Exec(ctx, sql).Close()
}

// exec runs one statement. It goes through the extended protocol, which refuses a second one smuggled
// into an expression.
func (tx *transaction) exec(ctx context.Context, sql string) error {
	_, err := tx.Exec(ctx, sql, pgx.QueryExecModeExec)
	return tx.s.errs.later(ctx, err)
}

// assignID makes sure that the transaction has an id that can be asked for later.
func (tx *transaction) assignID(ctx context.Context) error {
	err := tx.QueryRow(ctx, "SELECT pg_current_xact_id()::text").Scan(&tx.xid)
	return tx.s.errs.later(ctx, err)
}

// rollback ends the transaction; a connection on which that fails is cut, and the server rolls back.
func (tx *transaction) rollback(ctx context.Context) {
	if ctx.Err() != nil || tx.simple(ctx, "ROLLBACK") != nil {
		closeNow(ctx, tx.conn)
	}
}

// commit reports unclear when it cannot know whether the server committed.
func (tx *transaction) commit(ctx context.Context) (unclear bool, err error) {
	tx.call.Step(stepCommit, false)
	if ctx.Err() != nil {
		tx.rollback(ctx)
		return false, tx.s.errs.ended(ctx)
	}
	tag, err := tx.Exec(ctx, "COMMIT")
	var remote *pgconn.PgError
	switch {
	case errors.As(err, &remote):
		// COMMIT was refused (a deferred constraint), or the server is going down and has rolled back.
		// A server that was told to stop while it waits says so after the commit took place.
		closeNow(ctx, tx.conn)
		return tx.xid != "" && connectionLost(remote), tx.s.errs.later(ctx, err)
	case err != nil:
		closeNow(ctx, tx.conn)
		return tx.xid != "", tx.s.errs.later(ctx, err)
	case tag.String() != "COMMIT":
		return false, provision.Error(provision.Unavailable, "transaction on the server of catalog %q was rolled back", tx.s.catalog)
	}
	tx.call.Step(stepCommit, true)
	return false, nil
}

func connectionLost(e *pgconn.PgError) bool { return len(e.Code) == 5 && e.Code[:2] == "57" }

// resolve asks the server what became of a transaction whose COMMIT got no answer. cause is told when
// it was rolled back, or when nobody can say.
func (s *System) resolve(ctx context.Context, xid string, cause error) error {
	wait := time.NewTimer(0)
	defer wait.Stop()
	for pause := xactPollMin; ; pause = min(2*pause, xactPollMax) {
		select {
		case <-ctx.Done():
			return s.errs.unavailable("the answer to COMMIT was lost").
				WithDetail("It is not known whether transaction %s was committed.", xid).WithCause(ctx.Err())
		case <-wait.C:
		}
		status, err := s.transactionStatus(ctx, xid)
		switch {
		case err == nil && status == "committed":
			return nil
		case err == nil && status == "aborted":
			return cause
		}
		wait.Reset(pause)
	}
}

func (s *System) transactionStatus(ctx context.Context, xid string) (string, error) {
	c, err := s.acquire(ctx)
	if err != nil {
		return "", err
	}
	defer c.release(ctx)
	var status *string
	if err := c.QueryRow(ctx, "SELECT pg_xact_status($1::text::xid8)", xid).Scan(&status); err != nil {
		closeNow(ctx, c)
		return "", s.errs.later(ctx, err)
	}
	if status == nil {
		return "", nil
	}
	return *status, nil
}
