package postgres

import (
	"context"
	"slices"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/provision"
)

// Update alters the table until it is r, in one transaction. What it destroys (columns, values that a
// narrower type cannot hold) it destroys only where observed says so: that is the caller's consent. A
// difference that ALTER TABLE cannot remove is kind Unsupported; a table that changed since it was
// observed is kind Conflict.
func (s *System) Update(ctx context.Context, r plan.Resource, observed provision.Observation, call provision.Call) error {
	n, err := s.name(r)
	if err != nil {
		return err
	}
	if r.Kind == plan.SchemaKind {
		return nil // a schema has nothing that could differ
	}
	if r.NewPath != nil || len(r.Renames) > 0 {
		return s.rename(ctx, r, call)
	}
	if err := checkTable(tableOptions(), r.Table); err != nil {
		return err
	}
	return s.transact(ctx, call, func(ctx context.Context, tx *transaction) error {
		if err := tx.begin(ctx); err != nil {
			return err
		}
		return tx.alterTable(ctx, n, r, observed)
	})
}

func (tx *transaction) alterTable(ctx context.Context, n name, r plan.Resource, observed provision.Observation) error {
	if err := tx.lockKnown(ctx, n, r); err != nil {
		return err
	}
	found, err := readRelation(ctx, tx.conn, n)
	if err != nil {
		return tx.s.errs.later(ctx, err)
	}
	if observed.Identity != "" && observed.Identity != found.identity {
		return provision.Error(provision.Conflict, "relation %q was replaced by another one", n.table)
	}
	changes := diff(n, found, r.Table, tx.same(ctx))
	if err := permitted(n, changes, observed); err != nil {
		return err
	}
	return tx.apply(ctx, changes)
}

// permitted refuses changes that cannot be made, and destructive ones that nobody has seen.
func permitted(n name, changes []change, observed provision.Observation) error {
	for _, c := range changes {
		if !c.possible() {
			return provision.Error(provision.Unsupported, "table %s cannot be changed to its definition", n.sql()).
				WithDetail("%s.", c.line)
		}
		if c.destructive && !slices.Contains(observed.Diff, c.line) {
			return provision.Error(provision.Conflict, "table %s changed since it was looked at", n.sql()).
				WithDetail("%s.", c.line)
		}
	}
	return nil
}

func (tx *transaction) apply(ctx context.Context, changes []change) error {
	if len(changes) == 0 {
		return errAbandon
	}
	var statements []string
	for _, c := range changes {
		statements = append(statements, c.first...)
	}
	for _, c := range changes {
		statements = append(statements, c.statements...)
	}
	return tx.alter(ctx, statements...)
}

// same compares expressions inside the transaction; one that the server refuses must not end it.
func (tx *transaction) same(ctx context.Context) sameExpression {
	return func(a, b, typ, from string) bool {
		if tx.simple(ctx, "SAVEPOINT tablewright") != nil {
			return false
		}
		equal := sameMeaning(ctx, tx, a, b, typ, from)
		return tx.simple(ctx, "ROLLBACK TO SAVEPOINT tablewright") == nil && equal
	}
}
