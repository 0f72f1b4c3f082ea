package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/provision"
)

// outputIdentity is the output that holds the identity of what the job is about.
const outputIdentity = "identity"

// result is what came of work that succeeded.
type result struct {
	reason   string // of conditions Provisioned and Ready
	message  string
	identity string
	outputs  []provision.Output
	steps    []string // shown as skipped when none was begun
}

// attempt carries the work out once and writes what came of it.
func (r *reconciler) attempt(ctx context.Context, h *hold) (reconcile.Result, error) {
	began := r.clock.Now()
	stoppable, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	call, cancel := context.WithTimeoutCause(stoppable, r.deadlineOf(h.view()).Sub(began), errDeadline)
	defer cancel()
	h.calling(stop)
	done, err := r.carryOut(call, h)
	cause := context.Cause(call)
	h.calling(func(error) {})
	outcome := outcomeSucceeded
	defer func() { r.metrics.attempted(h.step, outcome, r.clock.Since(began)) }()
	if err == nil {
		return reconcile.Result{}, r.succeed(ctx, h, done)
	}
	job := h.view()
	switch {
	case errors.Is(context.Cause(ctx), errLost), errors.Is(context.Cause(ctx), errGone):
		outcome = outcomeLost
		return reconcile.Result{}, nil // and whoever holds it now goes on
	case ctx.Err() != nil:
		outcome = outcomeInterrupted
		return reconcile.Result{}, r.release(ctx, h)
	case h.stopRequested():
		outcome = outcomeCancelled
		return r.settle(ctx, h, stopEnding(job))
	case !repeatable(h.step, err):
		outcome = outcomeFailed
		return r.settle(ctx, h, ending{reason: v1alpha1.ReasonFailed, err: r.shown(h, err)})
	case errors.Is(cause, errSuspended):
		outcome = outcomeSuspended
		return r.park(ctx, h)
	case errors.Is(cause, errDeadline) || !r.clock.Now().Before(r.deadlineOf(job)):
		outcome = outcomeFailed
		return r.settle(ctx, h, deadlineEnding(job, err))
	case job.Status.Attempt > job.Spec.BackoffLimitOrDefault():
		outcome = outcomeFailed
		return r.settle(ctx, h, ending{reason: v1alpha1.ReasonBackoffLimitExceeded, err: r.shown(h, err)})
	}
	outcome = outcomeRetried
	return r.retry(ctx, h, err)
}

// shown is an error as the status shows it. An internal one is logged, for it is shown without its text.
func (r *reconciler) shown(h *hold, err error) v1alpha1.JobError {
	e := jobError(err)
	if e.Code == sqlerr.InternalError {
		h.log.Error(err, "attempt failed")
	}
	return e
}

func (r *reconciler) succeed(ctx context.Context, h *hold, done result) error {
	return r.end(ctx, h, func(w *statusWriter) { w.succeeded(done) })
}

// end writes a final phase.
func (r *reconciler) end(ctx context.Context, h *hold, edit func(*statusWriter)) error {
	if err := h.commit(ctx, edit); err != nil {
		return err
	}
	r.metrics.ended(h.view())
	return nil
}

// retry lets a failed attempt be repeated after a while, or at the deadline when that comes first.
func (r *reconciler) retry(ctx context.Context, h *hold, err error) (reconcile.Result, error) {
	if hasCode(err, sqlerr.FDWUnableToEstablish) {
		// The system is opened anew, with the secrets that are in force then.
		r.pool.Forget(pooled(h.step.Catalog))
	}
	job := h.view()
	pause := backoff(int(job.Status.Attempt))
	now := r.clock.Now()
	r.jobs.update(job, func(m *memory) { m.nextTry = now.Add(pause) })
	e := r.shown(h, err)
	message := fmt.Sprintf("attempt %d failed and is repeated in %s: %s", job.Status.Attempt, pause, e.Message)
	if err := h.commit(ctx, func(w *statusWriter) { w.retrying(e, message) }); err != nil {
		return reconcile.Result{}, err
	}
	if h.stopRequested() { // heard of with the write
		return r.settle(ctx, h, stopEnding(h.view()))
	}
	return again(min(pause, r.deadlineOf(job).Sub(now), v1alpha1.HeartbeatInterval)), nil
}

// park leaves a job that was suspended during an attempt until the suspend is taken back or the deadline
// has passed.
func (r *reconciler) park(ctx context.Context, h *hold) (reconcile.Result, error) {
	if err := h.commit(ctx, (*statusWriter).suspended); err != nil {
		return reconcile.Result{}, err
	}
	job := h.view()
	switch {
	case h.stopRequested():
		return r.settle(ctx, h, stopEnding(job))
	case !job.Spec.Suspend:
		return again(0), nil
	}
	return again(r.deadlineOf(job).Sub(r.clock.Now())), nil
}

// release gives a job up when the controller is being stopped, so that another instance takes it over
// without waiting for heartbeats.
func (r *reconciler) release(ctx context.Context, h *hold) error {
	return h.commit(ctx, func(w *statusWriter) {
		w.status.HeartbeatTime = nil
		w.say("interrupted: the controller is being stopped")
	})
}

// again asks for another call of Reconcile after a while.
func again(after time.Duration) reconcile.Result {
	return reconcile.Result{RequeueAfter: max(after, time.Millisecond)}
}
