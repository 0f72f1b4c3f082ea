package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

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

// MarksFirst says that what Create makes goes with its transaction until it is marked.
func (s *System) MarksFirst() {}

func (tx *transaction) createSchema(ctx context.Context, n name) (provision.Observation, error) {
	tx.call.Step(stepCreateSchema, false)
	o := provision.Observation{Exists: true, UpToDate: true}
	read := func(row pgx.Row) error { return row.Scan(&tx.xid, &o.Identity) }
	if err := tx.beginWith(ctx, []string{"CREATE SCHEMA " + n.sql()}, read, madeSchemaQuery, n.schema); err != nil {
		return provision.Observation{}, err
	}
	tx.call.Step(stepCreateSchema, true)
	return o, tx.call.Marked(ctx, o.Identity)
}

func (tx *transaction) createTable(ctx context.Context, n name, r plan.Resource) (provision.Observation, error) {
	if _, err := tx.Conn.Conn().Prepare(ctx, stmtMadeRelation, madeRelationQuery); err != nil {
		return provision.Observation{}, tx.s.errs.later(ctx, err)
	}
	comments := commentStatements(n.schema, n.table, r.Table)
	steps := tx.s.Steps(plan.Create, r)
	steps = steps[:len(steps)-1] // commit reports itself
	for _, step := range steps {
		tx.call.Step(step, false)
	}
	var made *relation
	read := func(row pgx.Row) (err error) {
		made, err = scanRelation(row, &tx.xid)
		return err
	}
	statements := append([]string{createTable(n, r.Table)}, comments...)
	if err := tx.beginWith(ctx, statements, read, stmtMadeRelation, n.schema, n.table); err != nil {
		return provision.Observation{}, err
	}
	for _, step := range steps {
		tx.call.Step(step, true)
	}
	// From here on the transaction can be asked for when its end is not heard of.
	return observation(n, made, r, tx.same(ctx)), tx.call.Marked(ctx, made.identity)
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
