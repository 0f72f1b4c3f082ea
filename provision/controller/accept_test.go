package controller

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

func TestRejects(t *testing.T) {
	schemaStep := stepOn(plan.Ensure, fakeType, "")
	schemaStep.Target = plan.Resource{Kind: plan.SchemaKind, Name: catalog.Name{Catalog: "lake", Schema: "sales"}, Path: []string{"sales"}}
	toAlter := func(j *v1alpha1.TableProvisionJob) {
		j.Spec.Operation = v1alpha1.OperationAlter
		j.Spec.Changes = []v1alpha1.TableChange{{Action: v1alpha1.ChangeSetComment}}
	}
	tests := map[string]struct {
		step   plan.Step
		edit   jobEdit
		reason string
		code   string
	}{
		"operation of the type": {
			stepOn(plan.Create, "readonly", "orders"), func(*v1alpha1.TableProvisionJob) {},
			v1alpha1.ReasonUnsupportedOperation, sqlerr.FeatureNotSupported,
		},
		"alter of a schema": {schemaStep, toAlter, v1alpha1.ReasonUnsupportedOperation, sqlerr.FeatureNotSupported},
		"type of a column": {
			stepOn(plan.Create, fakeType, "orders"),
			func(j *v1alpha1.TableProvisionJob) { j.Spec.Table.Columns[0].Type = "impossible" },
			v1alpha1.ReasonInvalidParameters, sqlerr.DatatypeMismatch,
		},
		"type of the catalog": {
			stepOn(plan.Create, fakeType, "orders"),
			func(j *v1alpha1.TableProvisionJob) { j.Spec.Catalog.Type = "readonly" },
			v1alpha1.ReasonInvalidParameters, sqlerr.InvalidParameterValue,
		},
		"constraint": {
			stepOn(plan.Create, fakeType, "orders"),
			func(j *v1alpha1.TableProvisionJob) {
				j.Spec.Table.Constraints = []v1alpha1.Constraint{{Definition: "EXCLUDE (x)"}}
			},
			v1alpha1.ReasonInvalidParameters, sqlerr.FeatureNotSupported,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, namespace := newSystem(t), namespaceOf(t)
			job := drive(t, s, namespace, "one", time.Now()).finish(t, submitStep(t, namespace, tt.step, tt.edit))
			requirePhase(t, job, v1alpha1.PhaseFailed, v1alpha1.ReasonFailed)
			requireError(t, job, tt.code, "")
			wantConditions := map[string]string{
				v1alpha1.ConditionAccepted:    "False/" + tt.reason,
				v1alpha1.ConditionProvisioned: "False/Failed",
				v1alpha1.ConditionReady:       "False/Failed",
				v1alpha1.ConditionStalled:     "True/Failed",
			}
			if diff := cmp.Diff(wantConditions, conditionsOf(job)); diff != "" {
				t.Fatalf("conditions (-want +got):\n%s", diff)
			}
			if job.Status.Attempt != 0 || s.opens != 0 {
				t.Fatalf("opened %d times: %s", s.opens, show(job))
			}
		})
	}
}

// Jobs of other controllers, and of other namespaces, are not touched.
func TestLeavesOthersAlone(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	other := submit(t, namespace, plan.Create, func(j *v1alpha1.TableProvisionJob) { j.Spec.Provisioner = "example.com/tables" })
	elsewhere := submit(t, namespaceOf(t), plan.Create)
	run(t, options(s, namespace, "one"))
	awaitEnd(t, submit(t, namespace, plan.Create))
	for _, job := range []*v1alpha1.TableProvisionJob{other, elsewhere} {
		if now := get(t, job); now.Status.Phase != "" || now.ResourceVersion != job.ResourceVersion {
			t.Fatalf("status is %s", show(now))
		}
	}
}

// A provisioner that panics, or a job that never ends, does not keep the others from their work.
func TestPoisonDoesNotSpread(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	s.on(atPrepare, func(ctx context.Context, r plan.Resource) error {
		switch r.Name.Table {
		case "bomb":
			panic("boom " + secret)
		case "tar":
			return block(ctx, r)
		}
		return nil
	})
	tar := submitStep(t, namespace, stepOn(plan.Create, fakeType, "tar"))
	bomb := submitStep(t, namespace, stepOn(plan.Create, fakeType, "bomb"))
	impossible := submit(t, namespace, plan.Create, func(j *v1alpha1.TableProvisionJob) { j.Spec.Table.Columns[0].Type = "impossible" })
	o := options(s, namespace, "one")
	o.Workers = 2
	run(t, o)
	for _, name := range []string{"a", "b", "c"} {
		job := awaitEnd(t, submitStep(t, namespace, stepOn(plan.Create, fakeType, name)))
		requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	}
	bomb = awaitEnd(t, bomb)
	requirePhase(t, bomb, v1alpha1.PhaseFailed, v1alpha1.ReasonFailed)
	requireError(t, bomb, sqlerr.InternalError, "internal error")
	requirePhase(t, awaitEnd(t, impossible), v1alpha1.PhaseFailed, v1alpha1.ReasonFailed)
	if now := get(t, tar); now.Status.Phase != v1alpha1.PhaseRunning {
		t.Fatalf("status is %s", show(now))
	}
}
