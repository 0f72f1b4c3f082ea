package controller

import (
	"context"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/provision"
)

// drop removes the object that is meant. Which one that is, is kept before it is removed: a later attempt
// that finds another one of the name knows that its own is gone.
func (w *worker) drop(ctx context.Context) (result, error) {
	seen, err := w.prov.Observe(ctx, w.target)
	if err != nil {
		return result{}, err
	}
	keep := ""
	switch {
	case w.dropped(seen):
		return w.done(v1alpha1.ReasonProvisioned, "dropped by an earlier attempt", provision.Observation{}), nil
	case !seen.Exists && w.target.Identity == "":
		return w.done(v1alpha1.ReasonAlreadyProvisioned, "it is not there", provision.Observation{}), nil
	case seen.Exists && w.target.Identity != "" && seen.Identity != w.target.Identity:
		return result{}, w.replaced(seen, w.target.Identity)
	case seen.Exists:
		w.target.Identity, keep = seen.Identity, seen.Identity
	}
	// An absent one of a known identity may still be coming: the provisioner sees to that.
	if err := w.begin(ctx, keep); err != nil {
		return result{}, err
	}
	if err := w.prov.Delete(ctx, w.target, w.call()); err != nil {
		return result{}, err
	}
	return w.done(v1alpha1.ReasonProvisioned, "dropped", provision.Observation{}), nil
}

// dropped tells whether an earlier attempt has removed the object: it kept the identity, and that is gone.
func (w *worker) dropped(seen provision.Observation) bool {
	kept := identityOf(w.job.Status.Steps)
	return kept != "" && (!seen.Exists || seen.Identity != kept)
}
