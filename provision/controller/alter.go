package controller

import (
	"context"
	"slices"
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/provision"
)

// alter makes the table what it is to be after the changes.
func (w *worker) alter(ctx context.Context) (result, error) {
	if w.target.NewPath != nil || len(w.target.Renames) > 0 {
		return w.rename(ctx)
	}
	seen, err := w.prov.Observe(ctx, w.target)
	switch {
	case err != nil:
		return result{}, err
	case !seen.Exists:
		return result{}, w.notFound()
	case w.target.Identity != "" && seen.Identity != w.target.Identity:
		return result{}, w.replaced(seen, w.target.Identity)
	case seen.UpToDate && begun(w.job.Status.Steps):
		return w.done(v1alpha1.ReasonProvisioned, "altered by an earlier attempt", seen), nil
	case seen.UpToDate:
		return w.done(v1alpha1.ReasonAlreadyProvisioned, "it is as it should be", seen), nil
	}
	if err := consent(w.job.Spec.Changes, w.target.Table, seen); err != nil {
		return result{}, err
	}
	if err := w.begin(ctx, ""); err != nil {
		return result{}, err
	}
	if err := w.prov.Update(ctx, w.target, seen, w.call()); err != nil {
		return result{}, err
	}
	seen, err = w.prov.Observe(ctx, w.target)
	if err != nil {
		return result{}, err
	}
	return w.done(v1alpha1.ReasonProvisioned, "altered", seen), nil
}

// rename gives the table, or columns of it, new names. The provisioner leaves what has them already.
func (w *worker) rename(ctx context.Context) (result, error) {
	if err := w.begin(ctx, ""); err != nil {
		return result{}, err
	}
	if err := w.prov.Update(ctx, w.target, provision.Observation{}, w.call()); err != nil {
		return result{}, err
	}
	seen, err := w.prov.Observe(ctx, w.target.Renamed())
	switch {
	case err != nil:
		return result{}, err
	case !seen.Exists:
		return result{}, w.notFound()
	}
	return w.done(v1alpha1.ReasonProvisioned, "renamed", seen), nil
}

// consent refuses to destroy what the statement did not name. The provisioner takes what was observed for
// the caller's consent, and the table may have changed since the statement was planned.
func consent(changes []v1alpha1.TableChange, wanted catalog.Table, seen provision.Observation) error {
	if !seen.Destructive {
		return nil
	}
	named := func(action v1alpha1.ChangeAction, column string) bool {
		return slices.ContainsFunc(changes, func(c v1alpha1.TableChange) bool {
			return c.Action == action && (column == "" || c.Column == column)
		})
	}
	allowed := named(v1alpha1.ChangeDropColumn, "") || named(v1alpha1.ChangeSetType, "")
	for _, found := range seen.Found.Columns {
		i := slices.IndexFunc(wanted.Columns, func(c catalog.Column) bool { return c.Name == found.Name })
		switch {
		case i < 0:
			allowed = allowed && named(v1alpha1.ChangeDropColumn, found.Name)
		case wanted.Columns[i].Type != found.Type:
			allowed = allowed && named(v1alpha1.ChangeSetType, found.Name)
		}
	}
	if allowed {
		return nil
	}
	return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "table has changed since the statement was planned").
		WithDetail("What it would lose now: %s.", strings.Join(seen.Diff, "; ")).
		WithHint("Repeat the statement.")
}
