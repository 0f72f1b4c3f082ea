package postgres

import (
	"context"
	"errors"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// Create makes the object in one transaction and persists its identity before it commits. PostgreSQL
// has no place for a job's mark: that an object is this job's own is known by r.Identity only.
func (s *System) Create(ctx context.Context, r plan.Resource, call provision.Call) (provision.Observation, error) {
	n, err := s.name(r)
	if err != nil {
		return provision.Observation{}, err
	}
	if r.Kind == plan.TableKind {
		if err := checkTable(tableOptions(), r.Table); err != nil {
			return provision.Observation{}, err
		}
	}
	var made provision.Observation
	err = s.transact(ctx, call, func(ctx context.Context, tx *transaction) (err error) {
		if r.Kind == plan.SchemaKind {
			made, err = tx.createSchema(ctx, n)
		} else {
			made, err = tx.createTable(ctx, n, r)
		}
		return err
	})
	if err == nil {
		return made, nil
	}
	if !alreadyThere(err) {
		return provision.Observation{}, err
	}
	seen, failed := s.Observe(ctx, r)
	if failed != nil {
		return provision.Observation{}, failed
	}
	if r.Identity == "" || seen.Identity != r.Identity {
		return provision.Observation{}, existsError(n, r.Kind)
	}
	return seen, nil
}

func (tx *transaction) createSchema(ctx context.Context, n name) (provision.Observation, error) {
	tx.call.Step(stepCreateSchema, false)
	if err := tx.exec(ctx, "CREATE SCHEMA "+n.sql()); err != nil {
		return provision.Observation{}, err
	}
	tx.call.Step(stepCreateSchema, true)
	identity, err := readSchema(ctx, tx, n.schema)
	if err != nil {
		return provision.Observation{}, tx.s.errs.later(ctx, err)
	}
	return provision.Observation{Exists: true, UpToDate: true, Identity: identity}, tx.mark(ctx, identity)
}

func (tx *transaction) createTable(ctx context.Context, n name, r plan.Resource) (provision.Observation, error) {
	tx.call.Step(stepCreateTable, false)
	if err := tx.exec(ctx, createTable(n, r.Table)); err != nil {
		return provision.Observation{}, err
	}
	tx.call.Step(stepCreateTable, true)
	if err := tx.comment(ctx, n, r); err != nil {
		return provision.Observation{}, err
	}
	made, err := readRelation(ctx, tx, n)
	if err != nil {
		return provision.Observation{}, tx.s.errs.later(ctx, err)
	}
	if made == nil {
		return provision.Observation{}, provision.Error(provision.NotFound, "relation %s vanished while it was made", n.sql())
	}
	return observation(n, made, r, tx.same(ctx)), tx.mark(ctx, made.identity)
}

func (tx *transaction) comment(ctx context.Context, n name, r plan.Resource) error {
	comments := commentStatements(n.schema, n.table, r.Table)
	if len(comments) == 0 {
		return nil
	}
	tx.call.Step(stepComments, false)
	for _, statement := range comments {
		if err := tx.exec(ctx, statement); err != nil {
			return err
		}
	}
	tx.call.Step(stepComments, true)
	return nil
}

// mark persists the identity. From then on the transaction can be asked for when its end is not heard of.
func (tx *transaction) mark(ctx context.Context, identity string) error {
	if err := tx.assignID(ctx); err != nil {
		return err
	}
	return tx.call.Marked(ctx, identity)
}

func alreadyThere(err error) bool {
	var e *sqlerr.Error
	return errors.As(err, &e) && (e.Code == sqlerr.DuplicateTable || e.Code == sqlerr.DuplicateSchema)
}

func existsError(n name, kind plan.Kind) error {
	if kind == plan.SchemaKind {
		return provision.Error(provision.SchemaExists, "schema %q already exists", n.schema)
	}
	return provision.Error(provision.Exists, "relation %q already exists", n.table)
}
