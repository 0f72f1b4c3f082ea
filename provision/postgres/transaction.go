package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
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
	if err := work(ctx, tx); err != nil {
		tx.rollback(ctx)
		if errors.Is(err, errAbandon) {
			return false, nil
		}
		return false, err
	}
	return tx.commit(ctx)
}

const beginSQL = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"

// begin opens the transaction. The server itself gives up waiting when ctx's deadline passes.
func (tx *transaction) begin(ctx context.Context) error {
	left := timeLeft(ctx)
	sql := fmt.Sprintf("%s; SET LOCAL lock_timeout = %s; SET LOCAL statement_timeout = %s", beginSQL, left, left)
	return tx.s.errs.later(ctx, tx.simple(ctx, sql))
}

// serverGrace is how much later than our own deadline the server gives up: its limit is for when our cancel
// does not arrive, and must not come first, since only our deadline tells that time ran out.
const serverGrace = time.Second

// timeLeft is what ctx leaves, and the grace, in milliseconds; 0 is no limit.
func timeLeft(ctx context.Context) string {
	deadline, ok := ctx.Deadline()
	if !ok {
		return "0"
	}
	return strconv.FormatInt(max((time.Until(deadline)+serverGrace).Milliseconds(), 1), 10)
}

// beginWith opens the transaction, runs statements and reads the row of a query, all in one round trip.
func (tx *transaction) beginWith(ctx context.Context, statements []string, read func(pgx.Row) error, query string, args ...any) error {
	batch := &pgx.Batch{}
	batch.Queue(beginSQL)
	batch.Queue("SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', $1, true)", timeLeft(ctx))
	for _, statement := range statements {
		batch.Queue(statement)
	}
	batch.Queue(query, args...)
	results := tx.SendBatch(ctx, batch)
	for range len(statements) + 2 {
		if _, err := results.Exec(); err != nil {
			// The error that counts is the first one.
			_ = results.Close()
			return tx.s.errs.later(ctx, err)
		}
	}
	err := read(results.QueryRow())
	return tx.s.errs.later(ctx, errors.Join(err, results.Close()))
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

const currentID = "pg_current_xact_id()::text"

// assignID makes sure that the transaction has an id that can be asked for later.
func (tx *transaction) assignID(ctx context.Context) error {
	err := tx.QueryRow(ctx, "SELECT "+currentID).Scan(&tx.xid)
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

// resolveMax is how long a caller without a deadline of its own waits to hear what became of a transaction.
const resolveMax = time.Minute

// resolve asks the server what became of a transaction whose COMMIT got no answer. cause is told when
// it was rolled back, or when nobody can say.
func (s *System) resolve(ctx context.Context, xid string, cause error) error {
	if _, has := ctx.Deadline(); !has {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, resolveMax)
		defer cancel()
	}
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
