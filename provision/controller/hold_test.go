package controller

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

// holdBy writes into a job's status that an instance holds it, as if that had died afterwards.
func holdBy(t *testing.T, job *v1alpha1.TableProvisionJob, instance string, at time.Time) {
	t.Helper()
	now := get(t, job)
	w := newStatusWriter(now, at)
	w.claimed(v1alpha1.ControllerRef{Name: now.Spec.Provisioner, Instance: instance}, now.Status.Attempt+1)
	if err := api.Status().Update(t.Context(), now); err != nil {
		t.Fatalf("hold the job: %v", err)
	}
}

func TestTakeOver(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	start := time.Now().Truncate(time.Second)
	job := submit(t, namespace, plan.Create)
	holdBy(t, job, "dead", start)
	d := drive(t, s, namespace, "one", start.Add(29*time.Second))
	if after := d.pass(t, job); after != time.Second || get(t, job).Status.Controller.Instance != "dead" {
		t.Fatalf("it waits %s: %s", after, show(get(t, job)))
	}
	d.clock.Step(time.Second)
	job = d.finish(t, job)
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	if job.Status.Controller.Instance != "one" || job.Status.Attempt != 2 || !job.Status.StartTime.Time.Equal(start) {
		t.Fatalf("status is %s", show(job))
	}
	requireCalls(t, s, "create sales.orders")
}

// A process that starts again takes up what it held at once.
func TestTakeUpAgain(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	start := time.Now()
	job := submit(t, namespace, plan.Create)
	holdBy(t, job, "one", start)
	job = drive(t, s, namespace, "one", start).finish(t, job)
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	if job.Status.Attempt != 2 {
		t.Fatalf("status is %s", show(job))
	}
}

// The deadline counts from the first attempt, whoever makes the next one.
func TestTakeOverAfterTheDeadline(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	start := time.Now()
	job := submit(t, namespace, plan.Create, withDeadline(20*time.Second))
	holdBy(t, job, "dead", start)
	job = drive(t, s, namespace, "one", start.Add(time.Minute)).finish(t, job)
	requirePhase(t, job, v1alpha1.PhaseFailed, v1alpha1.ReasonDeadlineExceeded)
	requireCalls(t, s)
}

// An undo is taken over too, and the job ends as the first holder meant.
func TestTakeOverAnUndo(t *testing.T) {
	for name, edit := range map[string]string{"failed": "", "cancelled": cancelSpec} {
		t.Run(name, func(t *testing.T) {
			s, namespace := newSystem(t), namespaceOf(t)
			start := time.Now()
			job := submit(t, namespace, plan.Create)
			s.on(atCommitted, func(ctx context.Context, _ plan.Resource) error {
				if edit == "" {
					return denied()
				}
				return errors.Join(patchSpec(ctx, job, edit), unavailable())
			})
			s.on(atDelete, times(1, unavailable()))
			drive(t, s, namespace, "dead", start).pass(t, job)
			if now := get(t, job); now.Status.Phase != v1alpha1.PhaseUndoing {
				t.Fatalf("status is %s", show(now))
			}
			job = drive(t, s, namespace, "one", start.Add(time.Minute)).finish(t, job)
			want, reason := v1alpha1.PhaseFailed, v1alpha1.ReasonFailed
			if edit != "" {
				want, reason = v1alpha1.PhaseCancelled, v1alpha1.ReasonCancelled
			}
			requirePhase(t, job, want, reason)
			if job.Status.Attempt != 2 || job.Status.Controller.Instance != "one" || undoneStatus(job) != "True" {
				t.Fatalf("status is %s", show(job))
			}
			requireCalls(t, s, "create sales.orders", "drop sales.orders")
		})
	}
}

// Two instances claim a job that both have read as free: one of them works on it.
func TestOneClaimWins(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	job := submit(t, namespace, plan.Create)
	stale := get(t, job)
	one, two := drive(t, s, namespace, "one", time.Now()), drive(t, s, namespace, "two", time.Now())
	one.finish(t, job)
	step, rejected := two.understand(stale)
	if rejected != nil {
		t.Fatalf("rejected: %v", rejected.err)
	}
	if _, err := two.work(t.Context(), stale, step); !apierrors.IsConflict(err) {
		t.Fatalf("the second claim: %v", err)
	}
	requireCalls(t, s, "create sales.orders")
}

// A holder that lost the job stops its call and leaves the status to the one that holds it.
func TestLostHoldEndsTheCall(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	job := submit(t, namespace, plan.Create)
	clock := clocktesting.NewFakeClock(time.Now())
	var cause error
	s.on(atMarked, func(ctx context.Context, r plan.Resource) error {
		holdBy(t, job, "thief", clock.Now().Add(time.Hour))
		clock.Step(v1alpha1.HeartbeatInterval)
		<-ctx.Done()
		cause = context.Cause(ctx)
		return nil
	})
	d := driveWith(t, s, namespace, "one", clock, api)
	if after := d.pass(t, job); after != v1alpha1.HeartbeatExpiry {
		t.Fatalf("it comes back after %s", after)
	}
	if !errors.Is(cause, errLost) {
		t.Fatalf("the call ended because %v", cause)
	}
	now := get(t, job)
	if now.Status.Controller.Instance != "thief" || now.Status.Phase != v1alpha1.PhaseRunning || now.Status.Attempt != 2 {
		t.Fatalf("status is %s", show(now))
	}
	requireCalls(t, s)
}

// failing is a client whose status updates fail while broken is set.
func failing(broken *atomic.Bool, count *atomic.Int32) client.Client {
	return failingWith(func(context.Context) error { return errors.New("control plane is out of reach") }, broken, count)
}

func failingWith(failure func(context.Context) error, broken *atomic.Bool, count *atomic.Int32) client.Client {
	return interceptor.NewClient(api, interceptor.Funcs{
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, o client.Object, opts ...client.SubResourceUpdateOption) error {
			count.Add(1)
			if broken.Load() {
				return failure(ctx)
			}
			// What works may take its time: the timeouts of tests are short.
			return c.SubResource(sub).Update(context.WithoutCancel(ctx), o, opts...)
		},
	})
}

// A holder that cannot renew its heartbeat gives up before another instance may take over.
func TestSilentHolderGivesUp(t *testing.T) {
	for name, failure := range map[string]func(context.Context) error{
		"refused": func(context.Context) error { return errors.New("control plane is out of reach") },
		"hanging": func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) { testSilentHolder(t, failure) })
	}
}

func testSilentHolder(t *testing.T, failure func(context.Context) error) {
	t.Helper()
	s, namespace := newSystem(t), namespaceOf(t)
	job := submit(t, namespace, plan.Create)
	clock := clocktesting.NewFakeClock(time.Now())
	start := clock.Now()
	var broken atomic.Bool
	var count atomic.Int32
	s.on(atMarked, func(ctx context.Context, _ plan.Resource) error {
		broken.Store(true)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			<-tick.C
			clock.Step(time.Second)
		}
		return nil
	})
	d := driveWith(t, s, namespace, "one", clock, failingWith(failure, &broken, &count))
	d.writeTimeout = 100 * time.Millisecond // in which the clock goes five seconds on
	if _, err := d.Reconcile(t.Context(), requestOf(job)); err != nil {
		t.Fatalf("Reconcile: %v", err)
	}
	if silent := clock.Since(start); silent < holdExpiry || silent >= v1alpha1.HeartbeatExpiry {
		t.Fatalf("it gave up after %s", silent)
	}
	requireCalls(t, s)
}

// An identity that cannot be kept keeps the object from becoming visible.
func TestMarkMustBeKept(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	job := submit(t, namespace, plan.Create)
	var broken atomic.Bool
	var count atomic.Int32
	s.on(atPrepare, func(context.Context, plan.Resource) error {
		broken.Store(true)
		return nil
	})
	clock := clocktesting.NewFakeClock(time.Now())
	d := driveWith(t, s, namespace, "one", clock, failing(&broken, &count))
	if _, err := d.Reconcile(t.Context(), requestOf(job)); err == nil {
		t.Fatalf("the outcome was written although nothing can be")
	}
	requireCalls(t, s)
	s.on(atPrepare, nil)
	broken.Store(false)
	requirePhase(t, d.finish(t, job), v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	requireCalls(t, s, "create sales.orders")
}

// A success that could not be written is found again, not repeated.
func TestOutcomeIsWrittenLater(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	job := submit(t, namespace, plan.Create)
	var broken atomic.Bool
	var count atomic.Int32
	s.on(atCommitted, func(context.Context, plan.Resource) error {
		broken.Store(true)
		return nil
	})
	clock := clocktesting.NewFakeClock(time.Now())
	d := driveWith(t, s, namespace, "one", clock, failing(&broken, &count))
	if _, err := d.Reconcile(t.Context(), requestOf(job)); err == nil {
		t.Fatalf("the outcome was written although nothing can be")
	}
	broken.Store(false)
	requirePhase(t, d.finish(t, job), v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	requireCalls(t, s, "create sales.orders")
}

// However many steps a provisioner reports, the status is written once a second.
func TestStatusWritesAreCoalesced(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	job := submit(t, namespace, plan.Create)
	var broken atomic.Bool
	var count atomic.Int32
	clock := clocktesting.NewFakeClock(time.Now())
	d := driveWith(t, s, namespace, "one", clock, failing(&broken, &count))
	s.on(atPrepare, func(context.Context, plan.Resource) error {
		h := d.jobs.recall(job).hold
		before := count.Load()
		for range 100 {
			h.report("prepare", false)
			h.report("prepare", true)
		}
		<-time.After(100 * time.Millisecond)
		if got := count.Load() - before; got != 0 {
			t.Errorf("%d writes within a second", got)
		}
		clock.Step(v1alpha1.StatusWriteInterval)
		await(t, job, "written", func(j *v1alpha1.TableProvisionJob) bool {
			return len(j.Status.Steps) > 0 && j.Status.Steps[0].Phase == v1alpha1.StepSucceeded
		})
		if got := count.Load() - before; got != 1 {
			t.Errorf("%d writes after a second", got)
		}
		return nil
	})
	requirePhase(t, d.finish(t, job), v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
}

// A controller that is stopped in the middle of a call gives the job up; the next one finishes it at once.
func TestStopReleasesTheJob(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	reached := make(chan struct{})
	s.on(atMarked, func(ctx context.Context, r plan.Resource) error {
		close(reached)
		return block(ctx, r)
	})
	stop := run(t, options(s, namespace, "one"))
	job := submit(t, namespace, plan.Create)
	<-reached
	stop()
	now := get(t, job)
	if now.Status.Phase != v1alpha1.PhaseRunning || now.Status.HeartbeatTime != nil {
		t.Fatalf("status is %s", show(now))
	}
	requireCalls(t, s)
	s.on(atMarked, nil)
	run(t, options(s, namespace, "two"))
	job = awaitEnd(t, job)
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	if job.Status.Controller.Instance != "two" || job.Status.Attempt != 2 {
		t.Fatalf("status is %s", show(job))
	}
	requireCalls(t, s, "create sales.orders")
}

// Whoever changes the object in the middle (a recorder, a person) does not disturb the work.
func TestChangesOfOthersAreNoConflict(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	job := submit(t, namespace, plan.Create)
	s.on(atMarked, func(ctx context.Context, _ plan.Resource) error {
		now := get(t, job)
		now.Annotations["example.com/note"] = "seen"
		return errors.Join(api.Update(ctx, now), patchSpec(ctx, job, `{"ttlAfterFinished":"1h"}`))
	})
	job = drive(t, s, namespace, "one", time.Now()).finish(t, job)
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	if job.Annotations["example.com/note"] != "seen" || job.Spec.TTLAfterFinished == nil ||
		job.Status.ObservedGeneration != job.Generation || job.Status.Attempt != 1 {
		t.Fatalf("job is %+v", job)
	}
	requireCalls(t, s, "create sales.orders")
}

func requestOf(job *v1alpha1.TableProvisionJob) reconcile.Request {
	return reconcile.Request{NamespacedName: client.ObjectKeyFromObject(job)}
}

func TestHeartbeatsDuringACall(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	job := submit(t, namespace, plan.Create)
	clock := clocktesting.NewFakeClock(time.Now())
	s.on(atPrepare, func(context.Context, plan.Resource) error {
		for range 5 {
			clock.Step(v1alpha1.HeartbeatInterval)
			want := metav1.NewTime(clock.Now()).Rfc3339Copy()
			await(t, job, "alive", func(j *v1alpha1.TableProvisionJob) bool { return j.Status.HeartbeatTime.Equal(&want) })
		}
		return nil
	})
	d := driveWith(t, s, namespace, "one", clock, api)
	requirePhase(t, d.finish(t, job), v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
}
