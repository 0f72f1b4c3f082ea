package controller

import (
	"context"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/provision"
)

// create makes the object, once in the job's life. What is there already is the job's own work, or for
// Create an error, or for Ensure looked at.
func (w *worker) create(ctx context.Context) (result, error) {
	seen, err := w.prov.Observe(ctx, w.target)
	if err != nil {
		return result{}, err
	}
	own := w.own(seen)
	if own && seen.UpToDate {
		return w.done(v1alpha1.ReasonProvisioned, "made by an earlier attempt", seen), nil
	}
	if seen.Exists && !own {
		return w.stranger(seen)
	}
	if err := w.begin(ctx, ""); err != nil {
		return result{}, err
	}
	made, err := w.prov.Create(ctx, w.target, w.call())
	if hasCode(err, sqlerr.DuplicateTable, sqlerr.DuplicateSchema) {
		return w.overtaken(ctx)
	}
	if err == nil && own && !made.UpToDate {
		made, err = w.complete(ctx, made)
	}
	if err != nil {
		return result{}, err
	}
	return w.done(v1alpha1.ReasonProvisioned, "made", made), nil
}

// stranger judges an object that is there and that the job has not made.
func (w *worker) stranger(seen provision.Observation) (result, error) {
	meant := w.hold.step.Target.Identity // the one object that Ensure may be about
	switch {
	case w.action == plan.Create:
		return result{}, w.exists()
	case meant != "" && seen.Identity != meant:
		return result{}, w.replaced(seen, meant)
	case !seen.UpToDate:
		return result{}, w.misfit(seen)
	}
	return w.done(v1alpha1.ReasonAlreadyProvisioned, "it is there and fits", seen), nil
}

// overtaken judges an object that somebody made between the look and the call.
func (w *worker) overtaken(ctx context.Context) (result, error) {
	w.target.Identity = identityOf(w.hold.view().Status.Steps) // the call may have kept another one
	seen, err := w.prov.Observe(ctx, w.target)
	if err != nil {
		return result{}, err
	}
	switch {
	case !seen.Exists:
		return result{}, provision.Error(provision.Unavailable, "%s came and went", w.label())
	case w.own(seen):
		return w.done(v1alpha1.ReasonProvisioned, "made", seen), nil
	}
	return w.stranger(seen)
}

// complete finishes an object that an earlier attempt had begun.
func (w *worker) complete(ctx context.Context, made provision.Observation) (provision.Observation, error) {
	if err := w.prov.Update(ctx, w.target, made, w.call()); err != nil {
		return provision.Observation{}, err
	}
	return w.prov.Observe(ctx, w.target)
}
