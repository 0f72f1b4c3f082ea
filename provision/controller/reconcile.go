package controller

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/provision"
)

// conflictPause is how long a job waits that somebody changed while it was looked at.
const conflictPause = 50 * time.Millisecond

// reconciler carries out jobs, one call of Reconcile at a time for each.
type reconciler struct {
	client   client.Client     // reads what was watched, writes to the API
	live     client.Reader     // reads from the API
	pool     *provision.Pool   // opens catalogs
	types    map[string]string // type of catalog by spec.provisioner
	instance string
	version  string
	clock    clock.WithTicker
	jobs     *tracker
	metrics  *metrics

	writeTimeout time.Duration // of one write
}

// Reconcile brings one job as far as it can come now.
func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	job := &v1alpha1.TableProvisionJob{}
	if err := r.client.Get(ctx, req.NamespacedName, job); err != nil {
		if apierrors.IsNotFound(err) {
			r.jobs.forget(req.NamespacedName)
			return reconcile.Result{}, nil
		}
		return reconcile.Result{}, err
	}
	if !r.serves(job) {
		return reconcile.Result{}, nil
	}
	result, err := r.advance(ctx, job)
	if apierrors.IsConflict(err) {
		return reconcile.Result{RequeueAfter: conflictPause}, nil
	}
	return result, err
}

// serves tells whether a job is this controller's.
func (r *reconciler) serves(job *v1alpha1.TableProvisionJob) bool {
	_, ok := r.types[job.Spec.Provisioner]
	return ok
}

func (r *reconciler) advance(ctx context.Context, job *v1alpha1.TableProvisionJob) (reconcile.Result, error) {
	if job.Status.Phase.Final() {
		r.jobs.forget(client.ObjectKeyFromObject(job))
		return r.expire(ctx, job)
	}
	if wait := r.heldFor(job); wait > 0 {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	step, rejected := r.understand(job)
	if job.Status.Phase == "" || job.Status.Phase == v1alpha1.PhasePending {
		return r.begin(ctx, job, step, rejected)
	}
	return r.resume(ctx, job, step, rejected)
}

// begin decides about a job that nobody has worked on.
func (r *reconciler) begin(
	ctx context.Context, job *v1alpha1.TableProvisionJob, step plan.Step, rejected *rejection,
) (reconcile.Result, error) {
	switch {
	case stopRequested(job):
		return reconcile.Result{}, r.endUnheld(ctx, job, func(w *statusWriter) {
			e := stopEnding(job)
			e.reason = v1alpha1.ReasonCancelled // nothing was begun that could have failed
			w.ended(e, undoResult{state: v1alpha1.UndoNotNeeded})
		})
	case rejected != nil:
		return reconcile.Result{}, r.endUnheld(ctx, job, func(w *statusWriter) {
			w.rejected(r.ref(job), rejected.reason, jobError(rejected.err))
		})
	case job.Spec.Suspend:
		return r.suspend(ctx, job, 0)
	}
	return r.work(ctx, job, step)
}

// resume decides about a job that was worked on before.
func (r *reconciler) resume(
	ctx context.Context, job *v1alpha1.TableProvisionJob, step plan.Step, rejected *rejection,
) (reconcile.Result, error) {
	if rejected != nil {
		// It was accepted once, so only another version of this controller can judge so.
		return reconcile.Result{}, r.endUnheld(ctx, job, func(w *statusWriter) {
			e := ending{reason: v1alpha1.ReasonFailed, err: jobError(rejected.err)}
			w.claimed(r.ref(job), r.nextAttempt(job))
			w.ended(e, abandoned(job, rejected.err))
		})
	}
	now := r.clock.Now()
	running := job.Status.Phase == v1alpha1.PhaseRunning
	left := r.deadlineOf(job).Sub(now)
	working := running && !stopRequested(job) && left > 0
	if working && job.Spec.Suspend {
		return r.suspend(ctx, job, left)
	}
	wait := r.jobs.recall(job).nextTry.Sub(now)
	if working {
		wait = min(wait, left)
	}
	if wait > 0 && (working || !running) {
		return r.waitOn(ctx, job, wait)
	}
	return r.work(ctx, job, step)
}

// suspend notes that a job waits, once. Its deadline goes on.
func (r *reconciler) suspend(ctx context.Context, job *v1alpha1.TableProvisionJob, left time.Duration) (reconcile.Result, error) {
	result := reconcile.Result{RequeueAfter: left}
	if readyReason(job) == v1alpha1.ReasonSuspended && job.Status.ObservedGeneration == job.Generation {
		return result, nil
	}
	return result, r.note(ctx, job, (*statusWriter).suspended)
}

// waitOn keeps a job that waits for its next try.
func (r *reconciler) waitOn(ctx context.Context, job *v1alpha1.TableProvisionJob, wait time.Duration) (reconcile.Result, error) {
	beat := v1alpha1.HeartbeatInterval
	if t := job.Status.HeartbeatTime; t != nil {
		beat -= r.clock.Since(t.Time)
	}
	if beat > 0 {
		return reconcile.Result{RequeueAfter: min(wait, beat)}, nil
	}
	err := r.note(ctx, job, func(w *statusWriter) { w.status.HeartbeatTime = &w.now })
	return reconcile.Result{RequeueAfter: min(wait, v1alpha1.HeartbeatInterval)}, err
}

// note writes one change of a job that is not worked on now.
func (r *reconciler) note(ctx context.Context, job *v1alpha1.TableProvisionJob, edit func(*statusWriter)) error {
	w := newStatusWriter(job, r.clock.Now())
	edit(w)
	w.observed()
	if err := r.updateStatus(ctx, job); err != nil {
		return client.IgnoreNotFound(err)
	}
	return nil
}

// endUnheld ends a job that is not worked on.
func (r *reconciler) endUnheld(ctx context.Context, job *v1alpha1.TableProvisionJob, edit func(*statusWriter)) error {
	if err := r.note(ctx, job, edit); err != nil {
		return err
	}
	r.metrics.ended(job)
	return nil
}

func (r *reconciler) updateStatus(ctx context.Context, job *v1alpha1.TableProvisionJob) error {
	if job.Status.Phase == "" {
		job.Status.Phase = v1alpha1.PhasePending
	}
	return r.client.Status().Update(ctx, job, client.FieldOwner(v1alpha1.FieldOwnerController))
}

// work claims a job and works on it until it has ended, waits or is lost.
func (r *reconciler) work(ctx context.Context, job *v1alpha1.TableProvisionJob, step plan.Step) (reconcile.Result, error) {
	ctx, lose := context.WithCancelCause(ctx)
	h := r.newHold(job, step, logOf(ctx, job), lose)
	// Whoever changes the spec from here on is heard: before the claim by its conflict, after it by an event.
	r.jobs.update(job, func(m *memory) { m.hold = h })
	keeper := make(chan struct{})
	defer func() {
		lose(nil)
		<-keeper
		r.jobs.update(job, func(m *memory) { m.hold = nil })
		if h.view().Status.Phase.Final() {
			r.jobs.forget(client.ObjectKeyFromObject(job))
		}
	}()
	if err := h.claim(ctx, r.nextAttempt(job)); err != nil {
		close(keeper)
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	go func() {
		defer close(keeper)
		h.keep(ctx)
	}()
	result, err := r.proceed(ctx, h)
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errGone):
		return reconcile.Result{}, nil
	case errors.Is(cause, errLost):
		h.log.Info("job is held by another instance")
		return reconcile.Result{RequeueAfter: v1alpha1.HeartbeatExpiry}, nil
	}
	return result, err
}

func logOf(ctx context.Context, job *v1alpha1.TableProvisionJob) logr.Logger {
	return log.FromContext(ctx).WithValues("job_id", job.Spec.JobID, "operation", job.Spec.Operation, "target", job.Spec.DisplayName)
}

// proceed does what the phase of a claimed job asks for.
func (r *reconciler) proceed(ctx context.Context, h *hold) (reconcile.Result, error) {
	job := h.view()
	if e, _, ok := endingOf(job); ok && job.Status.Phase == v1alpha1.PhaseUndoing {
		return r.settle(ctx, h, e)
	}
	if job.Status.Phase != v1alpha1.PhaseRunning {
		return r.settle(ctx, h, stopEnding(job))
	}
	if stopRequested(job) {
		if err := h.commit(ctx, (*statusWriter).cancelling); err != nil {
			return reconcile.Result{}, err
		}
		return r.settle(ctx, h, stopEnding(job))
	}
	if !r.clock.Now().Before(r.deadlineOf(job)) {
		return r.settle(ctx, h, deadlineEnding(job, nil))
	}
	return r.attempt(ctx, h)
}

// expire deletes a job's object when its time has come and the history has its end.
func (r *reconciler) expire(ctx context.Context, job *v1alpha1.TableProvisionJob) (reconcile.Result, error) {
	if job.Status.ObservedGeneration != job.Generation {
		// Its ttl was changed: tell that the status still holds. The write is no event for us.
		if err := r.note(ctx, job, func(*statusWriter) {}); err != nil {
			return reconcile.Result{}, err
		}
	}
	ttl, ended := job.Spec.TTLAfterFinished, job.Status.CompletionTime
	if ttl == nil || ended == nil || !job.DeletionTimestamp.IsZero() || slices.Contains(job.Finalizers, v1alpha1.FinalizerRecord) {
		return reconcile.Result{}, nil // an event comes when that changes
	}
	if left := ttl.Duration - r.clock.Since(ended.Time); left > 0 {
		return reconcile.Result{RequeueAfter: left}, nil
	}
	same := client.Preconditions{UID: &job.UID, ResourceVersion: &job.ResourceVersion}
	err := r.client.Delete(ctx, job, same, client.PropagationPolicy(metav1.DeletePropagationBackground))
	return reconcile.Result{}, client.IgnoreNotFound(err)
}
