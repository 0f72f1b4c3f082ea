package iceberg

import (
	"context"
	"errors"

	"github.com/apache/iceberg-go/table"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/provision"
)

// rename gives columns, or the table itself, their new names; what has its new name already stays. The
// files of a table stay where they are.
func (s *System) rename(ctx context.Context, n name, r plan.Resource, call provision.Call) error {
	if r.NewPath != nil {
		renamed, err := s.name(r.Renamed())
		if err != nil {
			return err
		}
		return s.renameTable(ctx, n, renamed, r, call)
	}
	for {
		err := s.renameColumns(ctx, n, r, call)
		if !errors.Is(err, table.ErrCommitFailed) || ctx.Err() != nil {
			return err
		}
	}
}

func (s *System) renameTable(ctx context.Context, n, renamed name, r plan.Resource, call provision.Call) error {
	t := s.table(n)
	loaded, err := t.LoadTable(ctx, nil)
	if err != nil {
		there, errThere := s.table(renamed).LoadTable(ctx, nil)
		if errThere == nil && there.Metadata().TableUUID().String() == r.Identity {
			return nil // renamed already
		}
		return err
	}
	if identity := loaded.Metadata().TableUUID().String(); r.Identity != "" && r.Identity != identity {
		return otherOne(r, n.table, identity)
	}
	call.Step(stepCommit, false)
	moved, err := s.rows.rename(ctx, n, renamed, loaded.MetadataLocation())
	switch {
	case taken(err):
		return provision.Error(provision.Exists, "table %s already exists", renamed)
	case err != nil:
		return err
	case !moved:
		return provision.Error(provision.Unavailable, "table %s was changed meanwhile", n)
	}
	call.Step(stepCommit, true)
	return nil
}

func (s *System) renameColumns(ctx context.Context, n name, r plan.Resource, call provision.Call) error {
	t := s.table(n)
	loaded, err := t.LoadTable(ctx, nil)
	if err != nil {
		return err
	}
	if identity := loaded.Metadata().TableUUID().String(); r.Identity != "" && r.Identity != identity {
		return otherOne(r, n.table, identity)
	}
	t.base = loaded.MetadataLocation()
	txn := loaded.NewTransaction()
	schema, changed := txn.UpdateSchema(true, false), false
	for _, c := range r.Renames {
		if _, has := fieldNamed(loaded.Schema(), c.From); has {
			schema.RenameColumn([]string{c.From}, c.To)
			changed = true
		} else if _, has := fieldNamed(loaded.Schema(), c.To); !has {
			return provision.Error(provision.Conflict, "table %s has no column %q", n, c.From)
		}
	}
	if !changed {
		return nil
	}
	call.Step(stepCommit, false)
	if err := schema.Commit(); err != nil {
		return unsupported(n, err)
	}
	if _, err := txn.Commit(ctx); err != nil {
		return err
	}
	call.Step(stepCommit, true)
	return nil
}
