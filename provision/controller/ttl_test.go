package controller

import (
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

func isGone(t *testing.T, job *v1alpha1.TableProvisionJob) bool {
	t.Helper()
	err := api.Get(t.Context(), client.ObjectKeyFromObject(job), &v1alpha1.TableProvisionJob{})
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatalf("get: %v", err)
	}
	return err != nil
}

func removeFinalizer(t *testing.T, job *v1alpha1.TableProvisionJob) {
	t.Helper()
	now := get(t, job)
	now.Finalizers = nil
	if err := api.Update(t.Context(), now); err != nil {
		t.Fatalf("remove the finalizer: %v", err)
	}
}

func TestExpiresAfterItsRecord(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	d := drive(t, s, namespace, "one", time.Now())
	job := d.finish(t, submit(t, namespace, plan.Create, withTTL(time.Hour)))
	if after := d.pass(t, job); after != 0 {
		t.Fatalf("unrecorded, it is looked at after %s", after)
	}
	d.clock.Step(2 * time.Hour)
	d.pass(t, job)
	if now := get(t, job); !now.DeletionTimestamp.IsZero() {
		t.Fatalf("it is deleted before its end is recorded")
	}
	removeFinalizer(t, job)
	d.pass(t, job)
	if !isGone(t, job) {
		t.Fatalf("it is still there")
	}
}

func TestExpiresInTime(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	d := drive(t, s, namespace, "one", time.Now())
	job := d.finish(t, submit(t, namespace, plan.Create, unrecorded, withTTL(time.Hour)))
	after := d.pass(t, job)
	if after < 59*time.Minute || after > time.Hour || isGone(t, job) {
		t.Fatalf("it is looked at after %s", after)
	}
	d.clock.Step(after)
	d.pass(t, job)
	if !isGone(t, job) {
		t.Fatalf("it is still there")
	}
}

func TestStaysWithoutTTL(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	d := drive(t, s, namespace, "one", time.Now())
	job := d.finish(t, submit(t, namespace, plan.Create, unrecorded))
	d.clock.Step(10000 * time.Hour)
	if after := d.pass(t, job); after != 0 || isGone(t, job) {
		t.Fatalf("it is looked at after %s", after)
	}
	mustPatchSpec(t, job, `{"ttlAfterFinished":"9000h"}`)
	d.pass(t, job)
	if !isGone(t, job) {
		t.Fatalf("it is still there")
	}
}

// The ttl of a job may change after its end, and its status still holds.
func TestObservesAChangedTTL(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	d := drive(t, s, namespace, "one", time.Now())
	job := d.finish(t, submit(t, namespace, plan.Create))
	mustPatchSpec(t, job, `{"ttlAfterFinished":"1h"}`)
	d.pass(t, job)
	now := get(t, job)
	if now.Generation != 2 || now.Status.ObservedGeneration != 2 || now.Status.Phase != v1alpha1.PhaseSucceeded {
		t.Fatalf("generation %d: %s", now.Generation, show(now))
	}
}

// The whole way through a running controller: the finalizer's removal is what it hears of.
func TestExpiresWhenRecorded(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	run(t, options(s, namespace, "one"))
	job := awaitEnd(t, submit(t, namespace, plan.Create, withTTL(0)))
	removeFinalizer(t, job)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !isGone(t, job); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("it is still there")
		}
	}
}
