package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/uuid"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/provision/jobspec"
)

// patience is how long a test waits for what should come at once.
const patience = 30 * time.Second

// namespaceOf is a namespace that no other test uses.
func namespaceOf(t *testing.T) string {
	t.Helper()
	return "t-" + uuid.NewString()[:8]
}

func columns(names ...string) []catalog.Column {
	var list []catalog.Column
	for _, name := range names {
		list = append(list, catalog.Column{Name: name, Type: "bigint"})
	}
	return list
}

func options(s *system, namespace, instance string) Options {
	return Options{
		RESTConfig: restConfig, Pool: newPool(s), Namespace: namespace,
		Instance: instance, Version: "v0", Log: logr.Discard(),
	}
}

// run runs a controller until the test ends, or stop is called.
func run(t *testing.T, o Options) (stop func()) {
	t.Helper()
	c, err := New(o)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	}
	t.Cleanup(stop)
	return stop
}

// driver calls Reconcile itself, with a clock of its own.
type driver struct {
	*reconciler
	clock *clocktesting.FakeClock
}

func drive(t *testing.T, s *system, namespace, instance string, now time.Time) *driver {
	t.Helper()
	return driveWith(t, s, namespace, instance, clocktesting.NewFakeClock(now), api)
}

func driveWith(t *testing.T, s *system, namespace, instance string, clock *clocktesting.FakeClock, c client.Client) *driver {
	t.Helper()
	o := options(s, namespace, instance)
	o.Clock = clock
	o, err := o.complete()
	if err != nil {
		t.Fatalf("options: %v", err)
	}
	r, err := newReconciler(o, c, c)
	if err != nil {
		t.Fatalf("reconciler: %v", err)
	}
	return &driver{r, clock}
}

// pass calls Reconcile once and returns when it wants to be called again.
func (d *driver) pass(t *testing.T, job *v1alpha1.TableProvisionJob) time.Duration {
	t.Helper()
	result, err := d.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(job)})
	if err != nil {
		t.Fatalf("Reconcile: %v", err)
	}
	return result.RequeueAfter
}

// finish calls Reconcile, and lets the time pass that it asks for, until the job has ended.
func (d *driver) finish(t *testing.T, job *v1alpha1.TableProvisionJob) *v1alpha1.TableProvisionJob {
	t.Helper()
	for range 200 {
		after := d.pass(t, job)
		if now := get(t, job); now.Status.Phase.Final() {
			return now
		}
		d.clock.Step(after)
	}
	t.Fatalf("job does not end: %s", show(get(t, job)))
	return nil
}

// jobEdit changes a job before it is sent.
type jobEdit func(*v1alpha1.TableProvisionJob)

func withDeadline(d time.Duration) jobEdit {
	return func(j *v1alpha1.TableProvisionJob) { j.Spec.Deadline = metav1.Duration{Duration: d} }
}

func withBackoffLimit(n int32) jobEdit {
	return func(j *v1alpha1.TableProvisionJob) { j.Spec.BackoffLimit = &n }
}

func withUID(uid string) jobEdit {
	return func(j *v1alpha1.TableProvisionJob) { j.Spec.Table.UID = uid }
}

func keep(j *v1alpha1.TableProvisionJob)      { j.Spec.OnFailure = v1alpha1.FailurePolicyKeep }
func suspended(j *v1alpha1.TableProvisionJob) { j.Spec.Suspend = true }
func cancelled(j *v1alpha1.TableProvisionJob) { j.Spec.Cancel = true }
func unrecorded(j *v1alpha1.TableProvisionJob) {
	j.Finalizers = nil
}

func withTTL(d time.Duration) jobEdit {
	return func(j *v1alpha1.TableProvisionJob) { j.Spec.TTLAfterFinished = &metav1.Duration{Duration: d} }
}

// submit makes a job about table sales.orders with columns id and qty, as the gateway does.
func submit(t *testing.T, namespace string, action plan.Action, edits ...jobEdit) *v1alpha1.TableProvisionJob {
	t.Helper()
	return submitStep(t, namespace, stepOn(action, fakeType, "orders"), edits...)
}

func stepOn(action plan.Action, typ, table string) plan.Step {
	name := catalog.Name{Catalog: "lake", Schema: "sales", Table: table}
	return plan.Step{
		ID: "step", Action: action, Path: plan.Slow,
		Catalog: catalog.Catalog{
			Name: "lake", Type: typ, Generation: 1,
			Options: catalog.Options{
				{Name: "host", Value: "example"},
				{Name: "password", SecretRef: &catalog.SecretKeyRef{Name: "lake", Key: "password"}},
			},
		},
		Target: plan.Resource{
			Kind: plan.TableKind, Name: name, Path: name.Path(), RequestedBy: "alice",
			Table: catalog.Table{Name: name, Columns: columns("id", "qty")},
		},
	}
}

func submitStep(t *testing.T, namespace string, step plan.Step, edits ...jobEdit) *v1alpha1.TableProvisionJob {
	t.Helper()
	id, err := uuid.NewV7()
	if err != nil {
		t.Fatalf("job id: %v", err)
	}
	request := jobspec.Request{
		JobID: id.String(), Namespace: namespace, Step: step, Schema: opener{}.Options(), Deadline: 10 * time.Minute,
	}
	if step.Action == plan.Alter {
		request.Before = &catalog.Table{Columns: columns("id", "old")}
	}
	job, err := jobspec.New(request)
	if err != nil {
		t.Fatalf("jobspec: %v", err)
	}
	for _, edit := range edits {
		edit(job)
	}
	if err := api.Create(t.Context(), job); err != nil {
		t.Fatalf("create the job: %v", err)
	}
	return job
}

func get(t *testing.T, job *v1alpha1.TableProvisionJob) *v1alpha1.TableProvisionJob {
	t.Helper()
	now := &v1alpha1.TableProvisionJob{}
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(job), now); err != nil {
		t.Fatalf("get job: %v", err)
	}
	return now
}

// patchSpec changes a job as the gateway does.
func patchSpec(ctx context.Context, job *v1alpha1.TableProvisionJob, spec string) error {
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":`+spec+`}`))
	return api.Patch(ctx, &v1alpha1.TableProvisionJob{ObjectMeta: metav1.ObjectMeta{Namespace: job.Namespace, Name: job.Name}}, patch)
}

func mustPatchSpec(t *testing.T, job *v1alpha1.TableProvisionJob, spec string) {
	t.Helper()
	if err := patchSpec(t.Context(), job, spec); err != nil {
		t.Fatalf("patch %s: %v", spec, err)
	}
}

// await waits until a job is as wanted.
func await(t *testing.T, job *v1alpha1.TableProvisionJob, what string, wanted func(*v1alpha1.TableProvisionJob) bool) *v1alpha1.TableProvisionJob {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-tick.C {
		if now := get(t, job); wanted(now) {
			return now
		}
	}
	t.Fatalf("job is not %s after %s: %s", what, patience, show(get(t, job)))
	return nil
}

func awaitEnd(t *testing.T, job *v1alpha1.TableProvisionJob) *v1alpha1.TableProvisionJob {
	t.Helper()
	return await(t, job, "at its end", func(j *v1alpha1.TableProvisionJob) bool { return j.Status.Phase.Final() })
}

func awaitReason(t *testing.T, job *v1alpha1.TableProvisionJob, reason string) *v1alpha1.TableProvisionJob {
	t.Helper()
	return await(t, job, reason, func(j *v1alpha1.TableProvisionJob) bool { return readyReason(j) == reason })
}

func show(job *v1alpha1.TableProvisionJob) string {
	text, err := json.MarshalIndent(job.Status, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// conditionsOf renders conditions as "Ready=False/Failed".
func conditionsOf(job *v1alpha1.TableProvisionJob) map[string]string {
	shown := map[string]string{}
	for _, c := range job.Status.Conditions {
		shown[c.Type] = fmt.Sprintf("%s/%s", c.Status, c.Reason)
		if c.ObservedGeneration == 0 {
			shown[c.Type] += " without generation"
		}
	}
	return shown
}

func requirePhase(t *testing.T, job *v1alpha1.TableProvisionJob, phase v1alpha1.Phase, reason string) {
	t.Helper()
	if job.Status.Phase != phase || readyReason(job) != reason {
		t.Fatalf("job is %s/%s, want %s/%s: %s", job.Status.Phase, readyReason(job), phase, reason, show(job))
	}
}

func requireError(t *testing.T, job *v1alpha1.TableProvisionJob, code, text string) {
	t.Helper()
	e := job.Status.Error
	if e == nil || e.Code != code || !strings.Contains(e.Message+e.Detail, text) {
		t.Fatalf("error is %+v, want %s with %q", e, code, text)
	}
}

func undoneStatus(job *v1alpha1.TableProvisionJob) metav1.ConditionStatus {
	if c := meta.FindStatusCondition(job.Status.Conditions, v1alpha1.ConditionUndone); c != nil {
		return c.Status
	}
	return ""
}

// block waits until the call is cancelled.
func block(ctx context.Context, _ plan.Resource) error {
	<-ctx.Done()
	return nil
}

// times fails the first n calls.
func times(n int, err error) func(context.Context, plan.Resource) error {
	return func(context.Context, plan.Resource) error {
		if n--; n >= 0 {
			return err
		}
		return nil
	}
}
