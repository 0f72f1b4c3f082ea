package controller

import (
	"context"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

const cancelSpec = `{"cancel":true}`

func TestCancelBeforeTheStart(t *testing.T) {
	for name, edits := range map[string][]jobEdit{"pending": {cancelled}, "suspended": {cancelled, suspended}} {
		t.Run(name, func(t *testing.T) {
			s, namespace := newSystem(t), namespaceOf(t)
			job := drive(t, s, namespace, "one", time.Now()).finish(t, submit(t, namespace, plan.Create, edits...))
			requirePhase(t, job, v1alpha1.PhaseCancelled, v1alpha1.ReasonCancelled)
			requireError(t, job, sqlerr.QueryCanceled, "cancelled")
			requireCalls(t, s)
			if s.opens != 0 || job.Status.Attempt != 0 {
				t.Fatalf("opened %d times: %s", s.opens, show(job))
			}
		})
	}
}

func TestCancelDuringACall(t *testing.T) {
	tests := map[string]struct {
		point string
		calls []string
		undo  v1alpha1.UndoState
	}{
		"nothing made": {atPrepare, nil, v1alpha1.UndoNotNeeded},
		"marked":       {atMarked, nil, v1alpha1.UndoDone},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, namespace := newSystem(t), namespaceOf(t)
			reached := make(chan struct{})
			s.on(tt.point, func(ctx context.Context, r plan.Resource) error {
				close(reached)
				return block(ctx, r)
			})
			run(t, options(s, namespace, "one"))
			job := submit(t, namespace, plan.Create)
			<-reached
			asked := time.Now()
			mustPatchSpec(t, job, cancelSpec)
			job = awaitEnd(t, job)
			requirePhase(t, job, v1alpha1.PhaseCancelled, v1alpha1.ReasonCancelled)
			requireError(t, job, sqlerr.QueryCanceled, "cancelled")
			requireCalls(t, s, tt.calls...)
			if job.Status.Undo != tt.undo {
				t.Fatalf("status is %s", show(job))
			}
			if took := time.Since(asked); took > 5*time.Second {
				t.Fatalf("the cancel took %s", took)
			}
		})
	}
}

// The call does not know whether its commit came through: what it made is removed.
func TestCancelAfterTheCommit(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	job := submit(t, namespace, plan.Create)
	s.on(atCommitted, func(ctx context.Context, _ plan.Resource) error {
		if err := patchSpec(ctx, job, cancelSpec); err != nil {
			return err
		}
		return unavailable()
	})
	job = drive(t, s, namespace, "one", time.Now()).finish(t, job)
	requirePhase(t, job, v1alpha1.PhaseCancelled, v1alpha1.ReasonCancelled)
	requireCalls(t, s, "create sales.orders", "drop sales.orders")
	if undoneStatus(job) != "True" {
		t.Fatalf("status is %s", show(job))
	}
}

func TestCancelTooLate(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	job := submit(t, namespace, plan.Create)
	s.on(atCommitted, func(ctx context.Context, _ plan.Resource) error {
		if err := patchSpec(ctx, job, cancelSpec); err != nil {
			return err
		}
		// The controller has seen it before the call returns.
		await(t, job, "cancelling", func(j *v1alpha1.TableProvisionJob) bool { return j.Status.Phase == v1alpha1.PhaseCancelling })
		return nil
	})
	run(t, options(s, namespace, "one"))
	job = awaitEnd(t, job)
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	requireCalls(t, s, "create sales.orders")
}

func TestCancelWhileWaiting(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	s.on(atCommitted, times(1, unavailable()))
	job := submit(t, namespace, plan.Create)
	d := drive(t, s, namespace, "one", time.Now())
	d.pass(t, job)
	mustPatchSpec(t, job, cancelSpec)
	d.pass(t, job) // before the retry would have come
	job = get(t, job)
	requirePhase(t, job, v1alpha1.PhaseCancelled, v1alpha1.ReasonCancelled)
	requireCalls(t, s, "create sales.orders", "drop sales.orders")
}

// A drop cannot be taken back: a cancelled one is looked at.
func TestCancelOfADrop(t *testing.T) {
	tests := map[string]struct {
		point string
		phase v1alpha1.Phase
		calls []string
	}{
		"before": {atDelete, v1alpha1.PhaseCancelled, []string{"create sales.orders"}},
		"after":  {atDeleted, v1alpha1.PhaseSucceeded, []string{"create sales.orders", "drop sales.orders"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, namespace := newSystem(t), namespaceOf(t)
			if err := s.do(entry{Op: "create", Path: "sales.orders", Identity: "it"}); err != nil {
				t.Fatalf("make the table: %v", err)
			}
			job := submit(t, namespace, plan.Drop, withUID("it"))
			s.on(tt.point, func(ctx context.Context, _ plan.Resource) error {
				if err := patchSpec(ctx, job, cancelSpec); err != nil {
					return err
				}
				return unavailable()
			})
			s.on(atObserve, nil)
			job = drive(t, s, namespace, "one", time.Now()).finish(t, job)
			if job.Status.Phase != tt.phase {
				t.Fatalf("status is %s", show(job))
			}
			requireCalls(t, s, tt.calls...)
		})
	}
}

// A job that is deleted while it runs is stopped and undone; the record finalizer keeps it until then.
func TestDeletedOutside(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	reached := make(chan struct{})
	s.on(atMarked, func(ctx context.Context, r plan.Resource) error {
		close(reached)
		return block(ctx, r)
	})
	run(t, options(s, namespace, "one"))
	job := submit(t, namespace, plan.Create)
	<-reached
	if err := api.Delete(t.Context(), job.DeepCopy()); err != nil {
		t.Fatalf("delete: %v", err)
	}
	job = awaitEnd(t, job)
	requirePhase(t, job, v1alpha1.PhaseFailed, v1alpha1.ReasonFailed)
	requireError(t, job, sqlerr.QueryCanceled, "deleted")
	requireCalls(t, s)
}

// Without the finalizer it is gone at once, and the call ends.
func TestDeletedOutsideWithoutARecord(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	reached, ended := make(chan struct{}), make(chan struct{})
	s.on(atPrepare, func(ctx context.Context, r plan.Resource) error {
		close(reached)
		defer close(ended)
		return block(ctx, r)
	})
	run(t, options(s, namespace, "one"))
	job := submit(t, namespace, plan.Create, unrecorded)
	<-reached
	if err := api.Delete(t.Context(), job); err != nil {
		t.Fatalf("delete: %v", err)
	}
	<-ended
	requireCalls(t, s)
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(job), job); client.IgnoreNotFound(err) != nil || err == nil {
		t.Fatalf("get: %v", err)
	}
}
