package controller

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

func TestEnsure(t *testing.T) {
	tests := map[string]struct {
		there  []string // columns of the table that is there; nil means that there is none
		edit   jobEdit
		phase  v1alpha1.Phase
		reason string
		code   string
		calls  []string
	}{
		"fits": {
			there: []string{"id", "qty"}, phase: v1alpha1.PhaseSucceeded, reason: v1alpha1.ReasonAlreadyProvisioned,
			calls: []string{"create sales.orders"},
		},
		"fits and is the one meant": {
			there: []string{"id", "qty"}, edit: withUID("theirs"),
			phase: v1alpha1.PhaseSucceeded, reason: v1alpha1.ReasonAlreadyProvisioned,
			calls: []string{"create sales.orders"},
		},
		"fits and is another one": {
			there: []string{"id", "qty"}, edit: withUID("another"),
			phase: v1alpha1.PhaseFailed, reason: v1alpha1.ReasonFailed, code: sqlerr.ObjectInUse,
			calls: []string{"create sales.orders"},
		},
		"absent": {
			phase: v1alpha1.PhaseSucceeded, reason: v1alpha1.ReasonProvisioned,
			calls: []string{"create sales.orders"},
		},
		"does not fit": {
			there: []string{"id"}, phase: v1alpha1.PhaseFailed, reason: v1alpha1.ReasonFailed, code: sqlerr.DatatypeMismatch,
			calls: []string{"create sales.orders"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, namespace := newSystem(t), namespaceOf(t)
			if tt.there != nil {
				e := entry{Op: "create", Path: "sales.orders", Identity: "theirs", Table: catalog.Table{Columns: columns(tt.there...)}}
				if err := s.do(e); err != nil {
					t.Fatalf("make the table: %v", err)
				}
			}
			edit := tt.edit
			if edit == nil {
				edit = func(*v1alpha1.TableProvisionJob) {}
			}
			job := drive(t, s, namespace, "one", time.Now()).finish(t, submit(t, namespace, plan.Ensure, edit))
			requirePhase(t, job, tt.phase, tt.reason)
			requireCalls(t, s, tt.calls...)
			if tt.code != "" {
				requireError(t, job, tt.code, "")
				return
			}
			if job.Status.Progress.Done != 3 || job.Status.Progress.Total != 3 {
				t.Fatalf("progress is %+v", job.Status.Progress)
			}
			if len(job.Status.Outputs) != 2 {
				t.Fatalf("outputs are %+v", job.Status.Outputs)
			}
		})
	}
}

func TestEnsureTellsTheDifference(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	if err := s.do(entry{Op: "create", Path: "sales.orders", Identity: "theirs", Table: catalog.Table{Columns: columns("id", "x")}}); err != nil {
		t.Fatalf("make the table: %v", err)
	}
	job := drive(t, s, namespace, "one", time.Now()).finish(t, submit(t, namespace, plan.Ensure))
	want := &v1alpha1.JobError{
		Code:    sqlerr.DatatypeMismatch,
		Message: `relation "orders" exists and does not fit its definition`,
		Detail:  "column qty is missing; column x is not in the definition.",
	}
	if diff := cmp.Diff(want, job.Status.Error); diff != "" {
		t.Fatalf("error (-want +got):\n%s", diff)
	}
}

func TestEnsureOfASchema(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	step := stepOn(plan.Ensure, fakeType, "")
	step.Target = plan.Resource{Kind: plan.SchemaKind, Name: catalog.Name{Catalog: "lake", Schema: "sales"}, Path: []string{"sales"}}
	d := drive(t, s, namespace, "one", time.Now())
	job := d.finish(t, submitStep(t, namespace, step))
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	job = d.finish(t, submitStep(t, namespace, step))
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonAlreadyProvisioned)
	step.Action = plan.Create
	job = d.finish(t, submitStep(t, namespace, step))
	requireError(t, job, sqlerr.DuplicateSchema, `schema "sales" already exists`)
	requireCalls(t, s, "create sales")
}
