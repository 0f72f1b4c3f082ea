package controller

import (
	"context"
	"errors"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/provision"
)

// settleMin is the least time that is given to an undo; a longer one is as long as the job's deadline.
const settleMin = time.Minute

// undoResult is what came of an undo.
type undoResult struct {
	state   v1alpha1.UndoState
	remains string // of a failed one: what is left, and why
	kept    bool   // what was made stays, as spec.onFailure asks
}

// settle ends a job that does not go on. What it has made is removed first, unless it is to be kept; a
// cancelled one that has nothing to take back may turn out to be done. What the system does not let happen
// now is repeated until the undo's own time is over.
func (r *reconciler) settle(ctx context.Context, h *hold, e ending) (reconcile.Result, error) {
	job := h.view()
	switch {
	case !begun(job.Status.Steps):
		return reconcile.Result{}, r.endFailed(ctx, h, e, undoResult{state: v1alpha1.UndoNotNeeded})
	case makes(h.step.Action) && job.Spec.OnFailure != v1alpha1.FailurePolicyKeep:
		return r.undo(ctx, h, e)
	case h.step.Action == plan.Alter || e.err.Code == sqlerr.QueryCanceled:
		return r.unlessDone(ctx, h, e)
	}
	kept := makes(h.step.Action)
	return reconcile.Result{}, r.endFailed(ctx, h, e, undoResult{state: v1alpha1.UndoNotNeeded, kept: kept})
}

func (r *reconciler) endFailed(ctx context.Context, h *hold, e ending, undo undoResult) error {
	return r.end(ctx, h, func(w *statusWriter) { w.ended(e, undo) })
}

// undo removes what the job has made, and nothing else.
func (r *reconciler) undo(ctx context.Context, h *hold, e ending) (reconcile.Result, error) {
	limited, cancel := context.WithTimeout(ctx, max(time.Second, r.settleLeft(h.view())))
	defer cancel()
	removed, err := r.remove(limited, h, e)
	switch {
	case ctx.Err() != nil:
		return reconcile.Result{}, r.interrupted(ctx, h)
	case err != nil && r.mayRepeat(h, err):
		return r.settleLater(ctx, h, e, err)
	case err != nil:
		remains := h.step.Target.Name.String() + ": " + r.shown(h, err).Message
		return reconcile.Result{}, r.endFailed(ctx, h, e, undoResult{state: v1alpha1.UndoFailed, remains: remains})
	case !removed:
		return reconcile.Result{}, r.endFailed(ctx, h, e, undoResult{state: v1alpha1.UndoNotNeeded})
	}
	return reconcile.Result{}, r.endFailed(ctx, h, e, undoResult{state: v1alpha1.UndoDone})
}

// interrupted gives a job up that was lost or whose controller is being stopped.
func (r *reconciler) interrupted(ctx context.Context, h *hold) error {
	if cause := context.Cause(ctx); errors.Is(cause, errLost) || errors.Is(cause, errGone) {
		return nil
	}
	return r.release(ctx, h)
}

// remove tells whether there was something to remove. That an undo goes on is written before it begins.
func (r *reconciler) remove(ctx context.Context, h *hold, e ending) (removed bool, err error) {
	defer recovered(h, &err)
	w, release, err := r.newWorker(ctx, h)
	if err != nil {
		return false, err
	}
	defer release()
	seen, err := w.prov.Observe(ctx, w.target)
	if err != nil {
		return false, err
	}
	switch {
	case w.own(seen):
		w.target.Identity = seen.Identity
	case seen.Exists || w.target.Identity == "":
		return h.view().Status.Phase == v1alpha1.PhaseUndoing, nil // absent, or somebody else's
	}
	if err := r.beginUndo(ctx, h, e); err != nil {
		return false, err
	}
	// An absent one whose identity was kept may still be coming; the provisioner sees to that.
	err = w.prov.Delete(ctx, w.target, provision.Call{})
	if hasCode(err, provision.Conflict.Code()) {
		if seen, err := w.prov.Observe(ctx, w.target); err == nil && !w.own(seen) {
			return true, nil // replaced: what is there now is somebody else's
		}
	}
	return err == nil, err
}

func (r *reconciler) beginUndo(ctx context.Context, h *hold, e ending) error {
	if h.view().Status.Phase == v1alpha1.PhaseUndoing {
		return nil
	}
	return h.commit(ctx, func(w *statusWriter) { w.undoing(e) })
}

// unlessDone ends a job that cannot be taken back: it has succeeded when its work turns out to be done, by
// a call whose answer was lost or before it was told to stop.
func (r *reconciler) unlessDone(ctx context.Context, h *hold, e ending) (reconcile.Result, error) {
	limited, cancel := context.WithTimeout(ctx, max(time.Second, r.settleLeft(h.view())))
	defer cancel()
	done, finished, err := r.finished(limited, h)
	switch {
	case ctx.Err() != nil:
		return reconcile.Result{}, r.interrupted(ctx, h)
	case err != nil && r.mayRepeat(h, err):
		return r.settleLater(ctx, h, e, err)
	case err != nil:
		unknown := r.shown(h, err)
		unknown.Detail = "It is not known whether the job's work was done."
		e = ending{reason: v1alpha1.ReasonFailed, err: unknown}
		return reconcile.Result{}, r.endFailed(ctx, h, e, undoResult{state: v1alpha1.UndoNotNeeded})
	case finished:
		return reconcile.Result{}, r.succeed(ctx, h, done)
	}
	kept := makes(h.step.Action)
	return reconcile.Result{}, r.endFailed(ctx, h, e, undoResult{state: v1alpha1.UndoNotNeeded, kept: kept})
}

// finished looks whether the work is done.
func (r *reconciler) finished(ctx context.Context, h *hold) (done result, yes bool, err error) {
	defer recovered(h, &err)
	w, release, err := r.newWorker(ctx, h)
	if err != nil {
		return result{}, false, err
	}
	defer release()
	seen, err := w.prov.Observe(ctx, w.target.Renamed())
	if err != nil {
		return result{}, false, err
	}
	const message = "it turned out to be done"
	switch w.action {
	case plan.Create, plan.Ensure:
		yes = w.own(seen) && seen.UpToDate
	case plan.Alter:
		yes = seen.Exists && seen.UpToDate && (w.target.Identity == "" || seen.Identity == w.target.Identity)
	case plan.Drop:
		yes, err = w.finishDrop(ctx, seen)
		seen = provision.Observation{}
	default:
	}
	return w.done(v1alpha1.ReasonProvisioned, message, seen), yes, err
}

// settleLeft is how long a job's end may still take.
func (r *reconciler) settleLeft(job *v1alpha1.TableProvisionJob) time.Duration {
	window := max(settleMin, job.Spec.Deadline.Duration)
	if _, since, ok := endingOf(job); ok {
		return window - r.clock.Since(since)
	}
	return window
}

func (r *reconciler) mayRepeat(h *hold, err error) bool {
	return provision.Retryable(err) && r.settleLeft(h.view()) > 0
}

// settleLater lets the end be tried again after a while.
func (r *reconciler) settleLater(ctx context.Context, h *hold, e ending, err error) (reconcile.Result, error) {
	job := h.view()
	tries := r.jobs.recall(job).undos + 1
	pause := min(backoff(tries), max(r.settleLeft(job), time.Second))
	r.jobs.update(job, func(m *memory) { m.undos, m.nextTry = tries, r.clock.Now().Add(pause) })
	message := "the end is delayed and tried again in " + pause.String() + ": " + r.shown(h, err).Message
	err = h.commit(ctx, func(w *statusWriter) {
		if makes(h.step.Action) && h.job.Spec.OnFailure != v1alpha1.FailurePolicyKeep {
			w.undoing(e)
		} else {
			w.ending(e)
		}
		w.working(e.reason, message)
	})
	if err != nil {
		return reconcile.Result{}, err
	}
	return again(min(pause, v1alpha1.HeartbeatInterval)), nil
}

// abandoned is the end of a job that this version of the controller does not understand: what the one
// that began it has made cannot be removed.
func abandoned(job *v1alpha1.TableProvisionJob, why error) undoResult {
	operation := job.Spec.Operation
	made := operation == v1alpha1.OperationCreate || operation == v1alpha1.OperationEnsure
	if !made || !begun(job.Status.Steps) {
		return undoResult{state: v1alpha1.UndoNotNeeded}
	}
	if job.Spec.OnFailure == v1alpha1.FailurePolicyKeep {
		return undoResult{state: v1alpha1.UndoNotNeeded, kept: true}
	}
	return undoResult{state: v1alpha1.UndoFailed, remains: job.Spec.DisplayName + ": " + jobError(why).Message}
}
