package controller

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/provision"
)

func unavailable() error { return provision.Error(provision.Unavailable, "system is out of reach") }
func denied() error      { return provision.Error(provision.Denied, "permission denied for schema sales") }

func requireCalls(t *testing.T, s *system, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, s.calls(t)); diff != "" {
		t.Fatalf("calls of the system (-want +got):\n%s", diff)
	}
}

func TestRetriesThenSucceeds(t *testing.T) {
	for _, point := range []string{atOpen, atObserve, atPrepare, atMarked, atCommitted} {
		t.Run(point, func(t *testing.T) {
			s, namespace := newSystem(t), namespaceOf(t)
			failures := 2
			if point == atCommitted {
				failures = 1 // the second attempt finds its work done
			}
			s.on(point, times(failures, unavailable()))
			job := submit(t, namespace, plan.Create)
			d := drive(t, s, namespace, "one", time.Now())

			if after := d.pass(t, job); after != time.Second {
				t.Fatalf("the first retry comes after %s", after)
			}
			waiting := get(t, job)
			requirePhase(t, waiting, v1alpha1.PhaseRunning, v1alpha1.ReasonRetrying)
			requireError(t, waiting, sqlerr.IOError, "out of reach")
			if after := d.pass(t, job); after <= 0 || after > time.Second || get(t, job).Status.Attempt != 1 {
				t.Fatalf("called too early, it waits %s: %s", after, show(get(t, job)))
			}
			job = d.finish(t, job)
			requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
			if job.Status.Attempt != int32(failures)+1 || job.Status.Error != nil {
				t.Fatalf("status is %s", show(job))
			}
			requireCalls(t, s, "create sales.orders")
		})
	}
}

func TestBackoffLimit(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	s.on(atPrepare, times(100, unavailable()))
	d := drive(t, s, namespace, "one", time.Now())
	job := d.finish(t, submit(t, namespace, plan.Create, withBackoffLimit(2)))
	requirePhase(t, job, v1alpha1.PhaseFailed, v1alpha1.ReasonBackoffLimitExceeded)
	requireError(t, job, sqlerr.IOError, "out of reach")
	if job.Status.Attempt != 3 || !job.Status.Error.Retryable {
		t.Fatalf("status is %s", show(job))
	}
	if job.Status.Steps[0].Phase != v1alpha1.StepFailed || job.Status.Steps[0].Message != "system is out of reach" {
		t.Fatalf("steps are %+v", job.Status.Steps)
	}
	requireCalls(t, s)
}

func TestHeartbeatsWhileWaiting(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	s.on(atPrepare, times(100, unavailable()))
	d := drive(t, s, namespace, "one", time.Now())
	job := submit(t, namespace, plan.Create, withDeadline(time.Hour))
	for range 40 { // until pauses are longer than a heartbeat's life
		d.clock.Step(d.pass(t, job))
		now := get(t, job)
		if age := d.clock.Since(now.Status.HeartbeatTime.Time); age > v1alpha1.HeartbeatInterval+time.Second {
			t.Fatalf("the heartbeat is %s old: %s", age, show(now))
		}
	}
}

func TestReopensTheSystem(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	s.on(atPrepare, times(1, provision.Error(provision.CannotConnect, "password was changed")))
	d := drive(t, s, namespace, "one", time.Now())
	job := d.finish(t, submit(t, namespace, plan.Create))
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	if s.opens != 2 {
		t.Fatalf("the system was opened %d times", s.opens)
	}
}

func TestDeadlineDuringRetries(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	s.on(atPrepare, times(100, unavailable()))
	d := drive(t, s, namespace, "one", time.Now())
	job := submit(t, namespace, plan.Create, withDeadline(10*time.Second))
	began := d.clock.Now()
	job = d.finish(t, job)
	requirePhase(t, job, v1alpha1.PhaseFailed, v1alpha1.ReasonDeadlineExceeded)
	requireError(t, job, sqlerr.IOError, "deadline of 10s")
	requireError(t, job, sqlerr.IOError, "out of reach")
	if took := d.clock.Since(began); took < 9*time.Second || took > 12*time.Second {
		t.Fatalf("it took %s", took)
	}
}

func TestDeadlineDuringACall(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	s.on(atMarked, block)
	run(t, options(s, namespace, "one"))
	job := awaitEnd(t, submit(t, namespace, plan.Create, withDeadline(time.Second)))
	requirePhase(t, job, v1alpha1.PhaseFailed, v1alpha1.ReasonDeadlineExceeded)
	requireError(t, job, sqlerr.IOError, "deadline")
	requireCalls(t, s)
}

func TestTerminalFailureIsNotRepeated(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	s.on(atPrepare, times(1, provision.Error(provision.Denied, "permission denied").
		WithDetail("Schema sales.").WithHint("Ask its owner.")))
	d := drive(t, s, namespace, "one", time.Now())
	job := submit(t, namespace, plan.Create)
	if after := d.pass(t, job); after != 0 {
		t.Fatalf("it is to be called again after %s", after)
	}
	job = get(t, job)
	requirePhase(t, job, v1alpha1.PhaseFailed, v1alpha1.ReasonFailed)
	want := &v1alpha1.JobError{Code: "42501", Message: "permission denied", Detail: "Schema sales.", Hint: "Ask its owner."}
	if diff := cmp.Diff(want, job.Status.Error); diff != "" {
		t.Fatalf("error (-want +got):\n%s", diff)
	}
	wantConditions := map[string]string{
		v1alpha1.ConditionAccepted:    "True/Accepted",
		v1alpha1.ConditionProvisioned: "False/Failed",
		v1alpha1.ConditionReady:       "False/Failed",
		v1alpha1.ConditionStalled:     "True/Failed",
	}
	if diff := cmp.Diff(wantConditions, conditionsOf(job)); diff != "" {
		t.Fatalf("conditions (-want +got):\n%s", diff)
	}
	if job.Status.Undo != v1alpha1.UndoNotNeeded || job.Status.Attempt != 1 {
		t.Fatalf("status is %s", show(job))
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	s.on(atPrepare, times(100, errors.New("login with "+secret+" failed")))
	s.on(atObserve, func(context.Context, plan.Resource) error { return nil })
	d := drive(t, s, namespace, "one", time.Now())
	job := d.finish(t, submit(t, namespace, plan.Create, withBackoffLimit(1)))
	requirePhase(t, job, v1alpha1.PhaseFailed, v1alpha1.ReasonBackoffLimitExceeded)
	requireError(t, job, sqlerr.InternalError, "internal error")
	if text := show(job); strings.Contains(text, secret) {
		t.Fatalf("the status tells a secret: %s", text)
	}
}

// A drop goes on while others keep the object from going: somebody may still clear its way.
func TestDropWaitsForDependents(t *testing.T) {
	for _, code := range []string{sqlerr.DependentObjectsStillExist, sqlerr.InsufficientPrivilege} {
		s, namespace := newSystem(t), namespaceOf(t)
		s.table(t, "it", "id")
		s.on(atDelete, times(2, sqlerr.New(code, "not yet")))
		job := drive(t, s, namespace, "one", time.Now()).finish(t, submit(t, namespace, plan.Drop, withUID("it")))
		requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
		if job.Status.Attempt != 3 {
			t.Fatalf("status is %s", show(job))
		}
	}
}
