package postgres

import (
	"context"
	"slices"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/provision"
)

// rename gives columns, or the table itself, their new names; what has its new name already stays.
func (s *System) rename(ctx context.Context, r plan.Resource, call provision.Call) error {
	n, err := s.name(r)
	if err != nil {
		return err
	}
	renamed, err := s.name(r.Renamed())
	if err != nil {
		return err
	}
	return s.transact(ctx, call, func(ctx context.Context, tx *transaction) error {
		if err := tx.begin(ctx); err != nil {
			return err
		}
		if r.NewPath != nil {
			return tx.renameTable(ctx, n, renamed, r)
		}
		return tx.renameColumns(ctx, n, r)
	})
}

func (tx *transaction) renameTable(ctx context.Context, n, renamed name, r plan.Resource) error {
	found, err := tx.findRenamed(ctx, n, renamed, r)
	switch {
	case err != nil:
		return err
	case found == renamed:
		return errAbandon // renamed already
	}
	if err := tx.lockKnown(ctx, n, r); err != nil {
		return err
	}
	return tx.alter(ctx, "ALTER TABLE "+n.sql()+" RENAME TO "+ident(renamed.table))
}

// findRenamed tells which of its two names a table has. One that has the new name may be about to be given the
// old one by somebody whose commit is under way: its lock is waited for.
func (tx *transaction) findRenamed(ctx context.Context, n, renamed name, r plan.Resource) (name, error) {
	for {
		found, err := readRelation(ctx, tx.conn, n)
		if err != nil || found != nil {
			return n, tx.s.errs.later(ctx, err)
		}
		there, err := readRelation(ctx, tx.conn, renamed)
		switch {
		case err != nil:
			return n, tx.s.errs.later(ctx, err)
		case there == nil || there.identity != r.Identity:
			return n, provision.Error(provision.NotFound, "relation %q does not exist", n.table)
		}
		if err := tx.exec(ctx, "LOCK TABLE "+renamed.sql()+" IN ACCESS EXCLUSIVE MODE"); err != nil {
			return n, err
		}
		if there, err = readRelation(ctx, tx.conn, renamed); err != nil {
			return n, tx.s.errs.later(ctx, err)
		}
		if there != nil && there.identity == r.Identity {
			return renamed, nil
		}
	}
}

func (tx *transaction) renameColumns(ctx context.Context, n name, r plan.Resource) error {
	if err := tx.lockKnown(ctx, n, r); err != nil {
		return err
	}
	found, err := readRelation(ctx, tx.conn, n)
	if err != nil {
		return tx.s.errs.later(ctx, err)
	}
	has := func(name string) bool {
		return slices.ContainsFunc(found.columns, func(c column) bool { return c.Name == name })
	}
	var statements []string
	for _, c := range r.Renames {
		switch {
		case has(c.From):
			statements = append(statements, "ALTER TABLE "+n.sql()+" RENAME COLUMN "+ident(c.From)+" TO "+ident(c.To))
		case !has(c.To):
			return provision.Error(provision.Conflict, "table %s has no column %q", n.sql(), c.From)
		}
	}
	if len(statements) == 0 {
		return errAbandon
	}
	return tx.alter(ctx, statements...)
}

// lockKnown locks a table against everybody when it is the one that is meant.
func (tx *transaction) lockKnown(ctx context.Context, n name, r plan.Resource) error {
	tx.call.Step(stepLockTable, false)
	if err := tx.exec(ctx, "LOCK TABLE "+n.sql()+" IN ACCESS EXCLUSIVE MODE"); err != nil {
		return err
	}
	tx.call.Step(stepLockTable, true)
	found, err := readRelation(ctx, tx.conn, n)
	if err != nil {
		return tx.s.errs.later(ctx, err)
	}
	if found == nil {
		return provision.Error(provision.NotFound, "relation %q does not exist", n.table)
	}
	return sameIdentity(n, r, found.identity)
}

// alter runs statements that change the table.
func (tx *transaction) alter(ctx context.Context, statements ...string) error {
	if err := tx.assignID(ctx); err != nil {
		return err
	}
	tx.call.Step(stepAlterTable, false)
	for _, statement := range statements {
		if err := tx.exec(ctx, statement); err != nil {
			return err
		}
	}
	tx.call.Step(stepAlterTable, true)
	return nil
}
