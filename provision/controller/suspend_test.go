package controller

import (
	"context"
	"testing"
	"time"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

func TestSuspendBeforeTheStart(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	run(t, options(s, namespace, "one"))
	job := awaitReason(t, submit(t, namespace, plan.Create, suspended), v1alpha1.ReasonSuspended)
	if job.Status.Phase != v1alpha1.PhasePending || job.Status.Controller != nil || s.opens != 0 {
		t.Fatalf("status is %s", show(job))
	}
	mustPatchSpec(t, job, `{"suspend":false}`)
	job = awaitEnd(t, job)
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	if job.Status.Attempt != 1 {
		t.Fatalf("status is %s", show(job))
	}
}

// A suspend holds the job before the next step, and the attempt goes on when it is taken back.
func TestSuspendDuringACall(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	job := submit(t, namespace, plan.Create)
	first := true
	s.on(atPrepare, func(ctx context.Context, _ plan.Resource) error {
		if !first {
			return nil
		}
		first = false
		if err := patchSpec(ctx, job, `{"suspend":true}`); err != nil {
			return err
		}
		<-time.After(500 * time.Millisecond) // the controller hears of it, and this step goes on
		return ctx.Err()
	})
	run(t, options(s, namespace, "one"))
	job = awaitReason(t, job, v1alpha1.ReasonSuspended)
	if job.Status.Phase != v1alpha1.PhaseRunning || job.Status.Attempt != 1 {
		t.Fatalf("status is %s", show(job))
	}
	if _, there := conditionsOf(job)[v1alpha1.ConditionReconciling]; there {
		t.Fatalf("it is said to work: %s", show(job))
	}
	requireCalls(t, s)
	mustPatchSpec(t, job, `{"suspend":false}`)
	job = awaitEnd(t, job)
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	if job.Status.Attempt != 1 {
		t.Fatalf("status is %s", show(job))
	}
	requireCalls(t, s, "create sales.orders")
}

// A suspended job still has its deadline, can be cancelled, and is resumed by whoever comes first.
func TestSuspendedWhileWaiting(t *testing.T) {
	prepare := func(t *testing.T) (*system, *driver, *v1alpha1.TableProvisionJob) {
		t.Helper()
		s, namespace := newSystem(t), namespaceOf(t)
		s.on(atPrepare, times(1, unavailable()))
		d := drive(t, s, namespace, "one", time.Now())
		job := submit(t, namespace, plan.Create)
		d.pass(t, job)
		mustPatchSpec(t, job, `{"suspend":true}`)
		d.pass(t, job)
		job = get(t, job)
		requirePhase(t, job, v1alpha1.PhaseRunning, v1alpha1.ReasonSuspended)
		return s, d, job
	}
	t.Run("deadline", func(t *testing.T) {
		s, d, job := prepare(t)
		job = d.finish(t, job)
		requirePhase(t, job, v1alpha1.PhaseFailed, v1alpha1.ReasonDeadlineExceeded)
		requireCalls(t, s)
	})
	t.Run("cancel", func(t *testing.T) {
		_, d, job := prepare(t)
		mustPatchSpec(t, job, cancelSpec)
		d.pass(t, job)
		requirePhase(t, get(t, job), v1alpha1.PhaseCancelled, v1alpha1.ReasonCancelled)
	})
	t.Run("another instance", func(t *testing.T) {
		s, d, job := prepare(t)
		mustPatchSpec(t, job, `{"suspend":false}`)
		other := drive(t, s, job.Namespace, "two", d.clock.Now().Add(time.Second))
		job = other.finish(t, job)
		requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
		if job.Status.Controller.Instance != "two" || job.Status.Attempt != 1 {
			t.Fatalf("status is %s", show(job))
		}
	})
}
