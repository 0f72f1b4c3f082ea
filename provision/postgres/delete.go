package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// Delete drops the object with RESTRICT when it is still the one of r.Identity: what depends on it on
// the server refuses that with 2BP01. When it is absent although its maker may still be committing, the
// end of the maker's transaction is waited for.
func (s *System) Delete(ctx context.Context, r plan.Resource, call provision.Call) error {
	n, err := s.name(r)
	if err != nil {
		return err
	}
	settled := r.Identity == "" // nobody's commit can still be under way
	for {
		gone, err := s.deleteOnce(ctx, n, r, call)
		if err != nil || !gone || settled {
			return err
		}
		inProgress, err := s.makerRuns(ctx, r.Identity)
		if err != nil {
			return err
		}
		if !inProgress {
			settled = true // it may have committed since: look once more
			continue
		}
		if err := s.pause(ctx); err != nil {
			return err
		}
	}
}

// deleteOnce tells gone when the object was not there.
func (s *System) deleteOnce(ctx context.Context, n name, r plan.Resource, call provision.Call) (gone bool, err error) {
	err = s.transact(ctx, call, func(ctx context.Context, tx *transaction) error {
		if err := tx.begin(ctx); err != nil {
			return err
		}
		drop := tx.dropTable
		if r.Kind == plan.SchemaKind {
			drop = tx.dropSchema
		}
		err := drop(ctx, n, r)
		if absent(err) {
			gone = true
			return errAbandon
		}
		return err
	})
	return gone, err
}

func (tx *transaction) dropTable(ctx context.Context, n name, r plan.Resource) error {
	found, err := readRelation(ctx, tx.conn, n)
	if err != nil {
		return tx.s.errs.later(ctx, err)
	}
	if found == nil {
		return provision.Error(provision.NotFound, "relation %q does not exist", n.table)
	}
	if found.kind != "r" && found.kind != "p" {
		return sqlerr.New(sqlerr.WrongObjectType, "%q is not a table", n.table)
	}
	if err := sameIdentity(n, r, found.identity); err != nil {
		return err
	}
	tx.call.Step(stepLockTable, false)
	if err := tx.exec(ctx, "LOCK TABLE "+n.sql()+" IN ACCESS EXCLUSIVE MODE"); err != nil {
		return err
	}
	tx.call.Step(stepLockTable, true)
	// The name may have come to mean another table while the lock was waited for.
	locked, err := readRelation(ctx, tx.conn, n)
	if err != nil {
		return tx.s.errs.later(ctx, err)
	}
	if locked == nil || locked.identity != found.identity {
		return provision.Error(provision.Conflict, "relation %q was replaced by another one", n.table)
	}
	if err := tx.assignID(ctx); err != nil {
		return err
	}
	tx.call.Step(stepDropTable, false)
	if err := tx.exec(ctx, "DROP TABLE "+n.sql()+" RESTRICT"); err != nil {
		return err
	}
	tx.call.Step(stepDropTable, true)
	return nil
}

func (tx *transaction) dropSchema(ctx context.Context, n name, r plan.Resource) error {
	tx.call.Step(stepDropSchema, false)
	// COMMENT is what locks a schema against being dropped or replaced by others; its effect goes with
	// the schema, or with the transaction.
	if err := tx.exec(ctx, "COMMENT ON SCHEMA "+n.sql()+" IS NULL"); err != nil {
		return err
	}
	identity, err := readSchema(ctx, tx, n.schema)
	if err != nil {
		return tx.s.errs.later(ctx, err)
	}
	if err := sameIdentity(n, r, identity); err != nil {
		return err
	}
	if err := tx.assignID(ctx); err != nil {
		return err
	}
	if err := tx.exec(ctx, "DROP SCHEMA "+n.sql()+" RESTRICT"); err != nil {
		return err
	}
	tx.call.Step(stepDropSchema, true)
	return nil
}

func sameIdentity(n name, r plan.Resource, identity string) error {
	if r.Identity == "" || r.Identity == identity {
		return nil
	}
	return provision.Error(provision.Conflict, "%s %s is another one of the same name", r.Kind, n.sql()).
		WithDetail("It is %s, not %s.", identity, r.Identity)
}

func absent(err error) bool {
	var e *sqlerr.Error
	return errors.As(err, &e) && (e.Code == sqlerr.UndefinedTable || e.Code == sqlerr.InvalidSchemaName)
}

// makerRuns tells whether the transaction that identity speaks of has not ended. A running transaction
// holds a lock on its own id, which everyone may see.
func (s *System) makerRuns(ctx context.Context, identity string) (bool, error) {
	_, xid, ok := strings.Cut(identity, ":")
	if !ok {
		return false, nil
	}
	c, err := s.acquire(ctx)
	if err != nil {
		return false, err
	}
	defer c.release(ctx)
	var runs bool
	err = c.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_catalog.pg_locks
		WHERE locktype = 'transactionid' AND transactionid::text = $1 AND granted AND mode = 'ExclusiveLock')`, xid).Scan(&runs)
	return runs, s.errs.later(ctx, err)
}

func (s *System) pause(ctx context.Context) error {
	timer := time.NewTimer(xactPollMax / 10)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return s.errs.ended(ctx)
	case <-timer.C:
		return nil
	}
}
