package controller

import (
	"context"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/provision"
)

// drop removes the object that is meant. Which one that is, is kept before it is removed: a later attempt
// that finds another one of the name knows that its own is gone. One that is absent is deleted all the
// same when its identity is known: files may be left of it, or it may still be coming, and only the
// provisioner can tell.
func (w *worker) drop(ctx context.Context) (result, error) {
	kept := w.kept()
	if w.target.Identity == "" {
		w.target.Identity = kept
	}
	seen, err := w.prov.Observe(ctx, w.target)
	if err != nil {
		return result{}, err
	}
	keep := ""
	switch {
	case w.succeeded(seen):
		return w.done(v1alpha1.ReasonProvisioned, "dropped by an earlier attempt", provision.Observation{}), nil
	case !seen.Exists && w.target.Identity == "":
		return w.done(v1alpha1.ReasonAlreadyProvisioned, "it is not there", provision.Observation{}), nil
	case seen.Exists && w.target.Identity != "" && seen.Identity != w.target.Identity:
		return result{}, w.replaced(seen, w.target.Identity)
	case seen.Exists:
		w.target.Identity, keep = seen.Identity, seen.Identity
	}
	if err := w.begin(ctx, keep); err != nil {
		return result{}, err
	}
	if err := w.prov.Delete(ctx, w.target, w.call()); err != nil {
		return result{}, err
	}
	return w.done(v1alpha1.ReasonProvisioned, "dropped", provision.Observation{}), nil
}

// kept is the identity that an earlier attempt has kept, because it saw the object and was about to remove
// it.
func (w *worker) kept() string { return identityOf(w.job.Status.Steps) }

// succeeded tells whether another object is in the place of one that an earlier attempt has removed.
func (w *worker) succeeded(seen provision.Observation) bool {
	kept := w.kept()
	return kept != "" && seen.Exists && seen.Identity != kept
}

// finishDrop tells whether an earlier attempt has removed the object, and removes what may be left of it.
func (w *worker) finishDrop(ctx context.Context, seen provision.Observation) (bool, error) {
	if w.kept() == "" || seen.Exists {
		return w.succeeded(seen), nil
	}
	w.target.Identity = w.kept()
	err := w.prov.Delete(ctx, w.target, provision.Call{})
	return err == nil, err
}
