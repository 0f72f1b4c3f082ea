package controller

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

func TestCreateSucceeds(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	run(t, options(s, namespace, "one"))
	job := awaitEnd(t, submit(t, namespace, plan.Create))

	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	if diff := cmp.Diff([]string{"create sales.orders"}, s.calls(t)); diff != "" {
		t.Fatalf("calls (-want +got):\n%s", diff)
	}
	made, err := s.find("sales.orders")
	if err != nil {
		t.Fatalf("find: %v", err)
	}
	wantOutputs := []v1alpha1.JobOutput{{Name: "location", Value: "fake://sales.orders"}, {Name: "identity", Value: made.Identity}}
	if diff := cmp.Diff(wantOutputs, job.Status.Outputs); diff != "" {
		t.Fatalf("outputs (-want +got):\n%s", diff)
	}
	wantConditions := map[string]string{
		v1alpha1.ConditionAccepted:    "True/Accepted",
		v1alpha1.ConditionProvisioned: "True/Provisioned",
		v1alpha1.ConditionReady:       "True/Provisioned",
	}
	if diff := cmp.Diff(wantConditions, conditionsOf(job)); diff != "" {
		t.Fatalf("conditions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&v1alpha1.Progress{Done: 3, Total: 3, Unit: "steps"}, job.Status.Progress); diff != "" {
		t.Fatalf("progress (-want +got):\n%s", diff)
	}
	for i, name := range []string{"prepare", "create", "publish"} {
		step := job.Status.Steps[i]
		if step.Name != name || step.Phase != v1alpha1.StepSucceeded || step.StartTime == nil || step.CompletionTime == nil {
			t.Fatalf("step %d is %+v", i, step)
		}
	}
	s1 := job.Status
	if s1.Attempt != 1 || s1.Steps[1].ExternalID != made.Identity || s1.StartTime == nil || s1.HeartbeatTime == nil ||
		s1.ObservedGeneration != job.Generation || s1.Error != nil || s1.Undo != "" {
		t.Fatalf("status is %s", show(job))
	}
	wantController := &v1alpha1.ControllerRef{Name: "tablewright.dev/fake", Instance: "one", Version: "v0"}
	if diff := cmp.Diff(wantController, s1.Controller); diff != "" {
		t.Fatalf("controller (-want +got):\n%s", diff)
	}
}
