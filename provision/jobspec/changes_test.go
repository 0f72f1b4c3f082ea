package jobspec_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/provision/jobspec"
)

func before() catalog.Table {
	return catalog.Table{
		Columns: []catalog.Column{
			{Name: "id", Type: "bigint", NotNull: true},
			{Name: "qty", Type: "integer", Default: "1"},
			{Name: "note", Type: "text", Comment: "old"},
		},
		PrimaryKey: []string{"id"},
		Options:    catalog.Options{{Name: "a", Value: "1"}, {Name: "b", Value: "2"}},
		Comment:    "orders",
	}
}

func TestChanges(t *testing.T) {
	after := before()
	after.Columns = []catalog.Column{
		{Name: "id", Type: "bigint", NotNull: true},
		{Name: "qty", Type: "bigint", NotNull: true},
		{Name: "price", Type: "numeric(10,2)", Default: "0", Comment: "each"},
	}
	after.Options = catalog.Options{{Name: "a", Value: "3"}}
	after.Comment = ""
	got, err := jobspec.Changes(before(), after)
	if err != nil {
		t.Fatalf("Changes: %v", err)
	}
	want := []v1alpha1.TableChange{
		{Action: v1alpha1.ChangeDropColumn, Column: "note"},
		{Action: v1alpha1.ChangeSetType, Column: "qty", Type: "bigint"},
		{Action: v1alpha1.ChangeSetNullable, Column: "qty", Nullable: new(false)},
		{Action: v1alpha1.ChangeSetDefault, Column: "qty"},
		{Action: v1alpha1.ChangeAddColumn, Column: "price", Type: "numeric(10,2)", Nullable: new(true), Value: new("0")},
		{Action: v1alpha1.ChangeSetComment, Column: "price", Value: new("each")},
		{Action: v1alpha1.ChangeSetOption, Name: "a", Value: new("3")},
		{Action: v1alpha1.ChangeResetOption, Name: "b"},
		{Action: v1alpha1.ChangeSetComment},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("changes (-want +got):\n%s", diff)
	}
}

func TestChangesRefuses(t *testing.T) {
	tests := map[string]func(*catalog.Table){
		"nothing":      func(*catalog.Table) {},
		"primary key":  func(t *catalog.Table) { t.PrimaryKey = nil },
		"constraint":   func(t *catalog.Table) { t.Constraints = []catalog.Constraint{{Definition: "CHECK (qty > 0)"}} },
		"partitioning": func(t *catalog.Table) { t.Partitioning = []catalog.Transform{{Transform: "days"}} },
		"identity":     func(t *catalog.Table) { t.Columns[0].Identity = "ALWAYS" },
		"new identity": func(t *catalog.Table) { t.Columns = append(t.Columns, catalog.Column{Name: "n", Identity: "ALWAYS"}) },
		"order":        func(t *catalog.Table) { t.Columns[0], t.Columns[1] = t.Columns[1], t.Columns[0] },
		"new one in front": func(t *catalog.Table) {
			t.Columns = append([]catalog.Column{{Name: "n", Type: "text"}}, t.Columns...)
		},
	}
	for name, edit := range tests {
		t.Run(name, func(t *testing.T) {
			after := before()
			edit(&after)
			_, err := jobspec.Changes(before(), after)
			requireCode(t, err, sqlerr.FeatureNotSupported)
		})
	}
}

func TestAlter(t *testing.T) {
	step := fullStep()
	step.Action = plan.Alter
	was := step.Target.Table
	r := request(step)
	r.Before = &was
	r.Step.Target.Table.Columns = append([]catalog.Column{}, was.Columns[:2]...)
	job, err := jobspec.New(r)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	want := []v1alpha1.TableChange{{Action: v1alpha1.ChangeDropColumn, Column: "at"}}
	if diff := cmp.Diff(want, job.Spec.Changes); diff != "" {
		t.Fatalf("changes (-want +got):\n%s", diff)
	}
	got, err := jobspec.Step(&job.Spec)
	if err != nil {
		t.Fatalf("Step: %v", err)
	}
	if !got.Destructive || got.Action != plan.Alter || len(got.Target.Table.Columns) != 2 {
		t.Fatalf("step is %+v", got)
	}
}
