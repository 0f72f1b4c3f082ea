package controller

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/provision"
)

func TestFailureIsUndone(t *testing.T) {
	for name, marks := range map[string]bool{"by identity": false, "by mark": true} {
		t.Run(name, func(t *testing.T) {
			s, namespace := newSystem(t), namespaceOf(t)
			s.marks = marks
			s.on(atCommitted, times(1, denied()))
			job := submit(t, namespace, plan.Create)
			s.on(atDelete, func(ctx context.Context, _ plan.Resource) error {
				now := &v1alpha1.TableProvisionJob{}
				if err := api.Get(ctx, client.ObjectKeyFromObject(job), now); err != nil {
					return err
				}
				if now.Status.Phase != v1alpha1.PhaseUndoing || now.Status.Undo != v1alpha1.UndoRunning ||
					undoneStatus(now) != "Unknown" {
					return errors.New("the undo goes on unannounced: " + show(now))
				}
				return nil
			})
			job = drive(t, s, namespace, "one", time.Now()).finish(t, job)
			requirePhase(t, job, v1alpha1.PhaseFailed, v1alpha1.ReasonFailed)
			requireError(t, job, sqlerr.InsufficientPrivilege, "permission denied")
			requireCalls(t, s, "create sales.orders", "drop sales.orders")
			wantConditions := map[string]string{
				v1alpha1.ConditionAccepted:    "True/Accepted",
				v1alpha1.ConditionProvisioned: "False/Failed",
				v1alpha1.ConditionUndone:      "True/Undone",
				v1alpha1.ConditionReady:       "False/Failed",
				v1alpha1.ConditionStalled:     "True/Failed",
			}
			if diff := cmp.Diff(wantConditions, conditionsOf(job)); diff != "" {
				t.Fatalf("conditions (-want +got):\n%s", diff)
			}
			if job.Status.Undo != v1alpha1.UndoDone || job.Status.Steps[0].Phase != v1alpha1.StepUndone {
				t.Fatalf("status is %s", show(job))
			}
		})
	}
}

func TestFailureIsKept(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	s.on(atCommitted, times(1, denied()))
	job := drive(t, s, namespace, "one", time.Now()).finish(t, submit(t, namespace, plan.Create, keep))
	requirePhase(t, job, v1alpha1.PhaseFailed, v1alpha1.ReasonFailed)
	requireCalls(t, s, "create sales.orders")
	if got := conditionsOf(job)[v1alpha1.ConditionUndone]; got != "Unknown/Kept" {
		t.Fatalf("condition Undone is %s", got)
	}
}

func TestUndoIsRepeated(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	s.on(atCommitted, times(1, denied()))
	s.on(atDelete, times(3, unavailable()))
	d := drive(t, s, namespace, "one", time.Now())
	job := submit(t, namespace, plan.Create)
	if after := d.pass(t, job); after != time.Second {
		t.Fatalf("the undo is tried again after %s", after)
	}
	if now := get(t, job); now.Status.Phase != v1alpha1.PhaseUndoing {
		t.Fatalf("status is %s", show(now))
	}
	job = d.finish(t, job)
	requirePhase(t, job, v1alpha1.PhaseFailed, v1alpha1.ReasonFailed)
	requireError(t, job, sqlerr.InsufficientPrivilege, "permission denied")
	requireCalls(t, s, "create sales.orders", "drop sales.orders")
	if undoneStatus(job) != "True" {
		t.Fatalf("status is %s", show(job))
	}
}

func TestUndoFails(t *testing.T) {
	tests := map[string]func() error{
		"for good": func() error { return provision.Error(provision.Conflict, "a stream reads it") },
		"in time":  unavailable,
	}
	for name, failure := range tests {
		t.Run(name, func(t *testing.T) {
			s, namespace := newSystem(t), namespaceOf(t)
			s.on(atCommitted, times(1, denied()))
			s.on(atDelete, times(1000, failure()))
			d := drive(t, s, namespace, "one", time.Now())
			job := d.finish(t, submit(t, namespace, plan.Create, withDeadline(2*time.Minute)))
			requirePhase(t, job, v1alpha1.PhaseFailed, v1alpha1.ReasonFailed)
			requireError(t, job, sqlerr.InsufficientPrivilege, "lake.sales.orders")
			if job.Status.Undo != v1alpha1.UndoFailed || conditionsOf(job)[v1alpha1.ConditionUndone] != "False/UndoFailed" {
				t.Fatalf("status is %s", show(job))
			}
			requireCalls(t, s, "create sales.orders")
		})
	}
}

// A stranger's table of the same name is neither taken for the job's work nor removed.
func TestStrangerIsLeftAlone(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	if err := s.do(entry{Op: "create", Path: "sales.orders", Identity: "theirs", Table: stepOn(plan.Create, fakeType, "orders").Target.Table}); err != nil {
		t.Fatalf("make the stranger: %v", err)
	}
	d := drive(t, s, namespace, "one", time.Now())
	// That a job names the identity does not make it the job's work.
	for _, edit := range []jobEdit{withUID(""), withUID("theirs")} {
		job := d.finish(t, submit(t, namespace, plan.Create, edit))
		requirePhase(t, job, v1alpha1.PhaseFailed, v1alpha1.ReasonFailed)
		requireError(t, job, sqlerr.DuplicateTable, `relation "orders" already exists`)
		if job.Status.Undo != v1alpha1.UndoNotNeeded {
			t.Fatalf("status is %s", show(job))
		}
	}
	requireCalls(t, s, "create sales.orders")
}

// Between a failed create and its undo the table was replaced by another one.
func TestReplacedIsNotUndone(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	s.on(atCommitted, func(context.Context, plan.Resource) error {
		return errors.Join(
			s.do(entry{Op: "drop", Path: "sales.orders"}),
			s.do(entry{Op: "create", Path: "sales.orders", Identity: "theirs"}),
			denied(),
		)
	})
	job := drive(t, s, namespace, "one", time.Now()).finish(t, submit(t, namespace, plan.Create))
	requirePhase(t, job, v1alpha1.PhaseFailed, v1alpha1.ReasonFailed)
	requireCalls(t, s, "create sales.orders", "drop sales.orders", "create sales.orders")
	if job.Status.Undo != v1alpha1.UndoNotNeeded {
		t.Fatalf("status is %s", show(job))
	}
}

// Somebody makes the table between the look and the call.
func TestOvertakenCreate(t *testing.T) {
	for _, tt := range []struct {
		action plan.Action
		phase  v1alpha1.Phase
		reason string
	}{
		{plan.Create, v1alpha1.PhaseFailed, v1alpha1.ReasonFailed},
		{plan.Ensure, v1alpha1.PhaseSucceeded, v1alpha1.ReasonAlreadyProvisioned},
	} {
		t.Run(string(tt.action), func(t *testing.T) {
			s, namespace := newSystem(t), namespaceOf(t)
			s.on(atPrepare, func(_ context.Context, r plan.Resource) error {
				return s.do(entry{Op: "create", Path: "sales.orders", Identity: "theirs", Table: r.Table})
			})
			job := drive(t, s, namespace, "one", time.Now()).finish(t, submit(t, namespace, tt.action))
			requirePhase(t, job, tt.phase, tt.reason)
			requireCalls(t, s, "create sales.orders")
		})
	}
}
