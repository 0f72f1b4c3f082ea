package controller

import (
	"context"
	"sync"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

const (
	// conflictTriesMax bounds how often one write is repeated because somebody else changed the object.
	conflictTriesMax = 5
	// writeTimeoutDefault bounds one write, conflicts included: so short that a holder whose writes hang
	// still gives up in time (see holdExpiry), though one hangs in front of its heartbeat.
	writeTimeoutDefault = 5 * time.Second
	// holdExpiry is the age of the last heartbeat at which a holder gives up by itself, one interval
	// before another instance may take over.
	holdExpiry = v1alpha1.HeartbeatExpiry - v1alpha1.HeartbeatInterval
)

// hold is one job while Reconcile works on it. It owns the job's status: whatever changes it goes through
// here, and only while this instance and attempt hold the job.
type hold struct {
	r    *reconciler
	step plan.Step
	log  logr.Logger
	// lose ends everything that is done for the job; what was not written stays unwritten.
	lose context.CancelCauseFunc
	wake chan struct{} // tells the keeper that there is something to write

	writing sync.Mutex // serialises writes to the API; taken before mu

	mu        sync.Mutex
	job       *v1alpha1.TableProvisionJob // as the API has it, and the status as it will be
	dirty     bool                        // the status is not written yet
	urgent    bool                        // nor may it wait
	lastWrite time.Time
	stopping  bool                    // somebody asked for the end
	stop      context.CancelCauseFunc // ends the provisioner's call, while there is one
}

func (r *reconciler) newHold(job *v1alpha1.TableProvisionJob, step plan.Step, log logr.Logger, lose context.CancelCauseFunc) *hold {
	return &hold{
		r: r, step: step, log: log, lose: lose, job: job.DeepCopy(),
		wake: make(chan struct{}, 1), stop: func(error) {}, stopping: stopRequested(job),
	}
}

// view returns a copy of the job.
func (h *hold) view() *v1alpha1.TableProvisionJob {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.job.DeepCopy()
}

// stopRequested tells whether somebody asked for the job's end.
func (h *hold) stopRequested() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stopping
}

// change changes the status in memory; the keeper writes it when it may.
func (h *hold) change(edit func(*statusWriter)) {
	h.mu.Lock()
	edit(newStatusWriter(h.job, h.r.clock.Now()))
	h.dirty = true
	h.mu.Unlock()
	h.wakeKeeper()
}

// commit changes the status and writes it at once. It is written even when ctx has ended meanwhile.
func (h *hold) commit(ctx context.Context, edit func(*statusWriter)) error {
	h.change(edit)
	return h.flush(context.WithoutCancel(ctx))
}

func (h *hold) wakeKeeper() {
	select {
	case h.wake <- struct{}{}:
	default: // it is woken already
	}
}

// noteSpec takes notice of a newer state of the job's spec: a cancel ends the call, and a suspend ends it
// before its next step.
func (h *hold) noteSpec(job *v1alpha1.TableProvisionJob) {
	h.mu.Lock()
	if job.Generation < h.job.Generation {
		h.mu.Unlock()
		return // an event that came late
	}
	h.job.Spec, h.job.Generation, h.job.DeletionTimestamp = job.Spec, job.Generation, job.DeletionTimestamp
	asked := stopRequested(job) && !h.stopping
	if asked {
		h.stopping = true
		if h.job.Status.Phase == v1alpha1.PhaseRunning {
			w := newStatusWriter(h.job, h.r.clock.Now())
			w.cancelling()
			h.dirty, h.urgent = true, true
		}
		h.stop(errStopped)
	}
	h.mu.Unlock()
	if asked {
		h.wakeKeeper()
	}
}

// calling makes stop the way to end a call, and tells at once when it should not begin.
func (h *hold) calling(stop context.CancelCauseFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stop = stop
	if h.stopping {
		stop(errStopped)
	}
}

// report notes a step of the call. A job that is suspended is held before it.
func (h *hold) report(name string, done bool) {
	h.change(func(w *statusWriter) { w.reported(name, done) })
	if !done {
		h.checkSuspend()
	}
}

// checkSuspend ends the call before its next step when the job is suspended.
func (h *hold) checkSuspend() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.job.Spec.Suspend {
		h.stop(errSuspended)
	}
}

// flush writes the status, with a heartbeat. A conflict means that somebody changed the object: the write
// is repeated on the newer object as long as this instance holds it.
func (h *hold) flush(ctx context.Context) error {
	h.writing.Lock()
	defer h.writing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, h.r.writeTimeout)
	defer cancel()
	var err error
	for range conflictTriesMax {
		job := h.take()
		err = h.r.client.Status().Update(ctx, job, client.FieldOwner(v1alpha1.FieldOwnerController))
		switch {
		case err == nil:
			h.written(job)
			return nil
		case apierrors.IsNotFound(err):
			h.lose(errGone)
			return errGone
		}
		h.mu.Lock()
		h.dirty = true
		h.mu.Unlock()
		if !apierrors.IsConflict(err) {
			return err
		}
		if err := h.refresh(ctx); err != nil {
			return err
		}
	}
	return err
}

// take returns the job as it is to be written.
func (h *hold) take() *v1alpha1.TableProvisionJob {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dirty, h.urgent = false, false
	w := newStatusWriter(h.job, h.r.clock.Now())
	w.observed()
	if w.status.HeartbeatTime != nil {
		w.status.HeartbeatTime = &w.now
	}
	return h.job.DeepCopy()
}

func (h *hold) written(job *v1alpha1.TableProvisionJob) {
	h.mu.Lock()
	h.job.ResourceVersion, h.job.Finalizers = job.ResourceVersion, job.Finalizers
	h.lastWrite = h.r.clock.Now()
	h.mu.Unlock()
	h.noteSpec(job)
}

// refresh reads the job anew after a conflict. When another instance or attempt holds it, all is lost.
func (h *hold) refresh(ctx context.Context) error {
	fresh := &v1alpha1.TableProvisionJob{}
	own := h.view()
	err := h.r.live.Get(ctx, client.ObjectKeyFromObject(own), fresh)
	if apierrors.IsNotFound(err) || err == nil && fresh.UID != own.UID {
		h.lose(errGone)
		return errGone
	}
	if err != nil {
		return err
	}
	if fresh.Status.Attempt != own.Status.Attempt || !sameHolder(fresh, own) || fresh.Status.Phase.Final() {
		h.lose(errLost)
		return errLost
	}
	h.mu.Lock()
	h.job.ResourceVersion = fresh.ResourceVersion
	h.mu.Unlock()
	h.noteSpec(fresh)
	return nil
}

func sameHolder(a, b *v1alpha1.TableProvisionJob) bool {
	x, y := a.Status.Controller, b.Status.Controller
	return x != nil && y != nil && x.Name == y.Name && x.Instance == y.Instance
}
