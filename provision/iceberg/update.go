package iceberg

import (
	"context"
	"errors"
	"slices"

	"github.com/apache/iceberg-go/table"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/provision"
)

// Update changes the table's metadata until it is r, in one commit. It drops columns only where observed
// says so: that is the caller's consent. What Iceberg cannot change is kind Unsupported; a table that
// became another one since it was observed is kind Conflict.
func (s *System) Update(ctx context.Context, r plan.Resource, observed provision.Observation, call provision.Call) error {
	n, err := s.name(r)
	if err != nil || r.Kind == plan.SchemaKind {
		return err // a namespace has nothing that could differ
	}
	if r.NewPath != nil || len(r.Renames) > 0 {
		return s.fail(ctx, s.rename(ctx, n, r, call))
	}
	wanted, err := define(n, r.Table)
	if err != nil {
		return err
	}
	for {
		err := s.updateOnce(ctx, n, r, wanted, observed, call)
		if !errors.Is(err, table.ErrCommitFailed) || ctx.Err() != nil {
			return s.fail(ctx, err)
		}
		// Others changed the table in between: compare again.
	}
}

func (s *System) updateOnce(
	ctx context.Context, n name, r plan.Resource, wanted *definition, observed provision.Observation, call provision.Call,
) error {
	call.Step(stepLoad, false)
	t := s.table(n)
	loaded, err := t.LoadTable(ctx, nil)
	if err != nil {
		return err
	}
	t.base = loaded.MetadataLocation()
	identity := loaded.Metadata().TableUUID().String()
	for _, meant := range []string{r.Identity, observed.Identity} {
		if meant != "" && meant != identity {
			return otherOne(r, n.table, identity)
		}
	}
	call.Step(stepLoad, true)
	changes := diff(loaded, wanted, r.Table)
	if err := permitted(n, changes, observed); err != nil || len(changes) == 0 {
		return err
	}
	call.Step(stepCommit, false)
	txn := loaded.NewTransaction()
	if err := stage(txn, changes, loaded.CurrentSnapshot() == nil); err != nil {
		return unsupported(n, err)
	}
	if _, err := txn.Commit(ctx); err != nil {
		return err
	}
	call.Step(stepCommit, true)
	return nil
}

// unsupported is the error of a change that iceberg-go refuses to stage.
func unsupported(n name, err error) error {
	return provision.Error(provision.Unsupported, "table %s cannot be changed to its definition", n).WithDetail("%s.", err)
}

// permitted refuses changes that cannot be made, and destructive ones that nobody has seen.
func permitted(n name, changes []change, observed provision.Observation) error {
	for _, c := range changes {
		if !c.possible() {
			return provision.Error(provision.Unsupported, "table %s cannot be changed to its definition", n).WithDetail("%s.", c.line)
		}
		if c.destructive && !slices.Contains(observed.Diff, c.line) {
			return provision.Error(provision.Conflict, "table %s changed since it was looked at", n).WithDetail("%s.", c.line)
		}
	}
	return nil
}

// stage puts all changes into one transaction.
func stage(txn *table.Transaction, changes []change, empty bool) error {
	for _, c := range changes {
		if c.before != nil {
			if err := c.before(txn); err != nil {
				return err
			}
		}
	}
	schema := txn.UpdateSchema(true, empty)
	for _, c := range changes {
		if c.schema != nil {
			c.schema(schema)
		}
	}
	if err := schema.Commit(); err != nil {
		return err
	}
	for _, c := range changes {
		if c.after != nil {
			if err := c.after(txn); err != nil {
				return err
			}
		}
	}
	return nil
}
