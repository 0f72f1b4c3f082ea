package jobspec_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/provision/jobspec"
)

const jobID = "0196c1f4-7a2b-7c3d-8e4f-5a6b7c8d9e0f"

func schema() catalog.OptionSchema {
	return catalog.OptionSchema{
		Catalog: []catalog.OptionSpec{{Name: "host"}, {Name: "password", Secret: true}, {Name: "warehouse"}},
		Table:   []catalog.OptionSpec{{Name: "format_version"}, {Name: "key", Secret: true}},
	}
}

func fullStep() plan.Step {
	name := catalog.Name{Catalog: "lake", Schema: "Sales", Table: `or"ders`}
	return plan.Step{
		ID:     "step",
		Action: plan.Create,
		Path:   plan.Slow,
		Catalog: catalog.Catalog{
			Name: "lake", Type: "iceberg", Generation: 7,
			Options: catalog.Options{
				{Name: "uri", Value: ""},
				{Name: "warehouse", Value: "file:///data/lake"},
				{Name: "password", SecretRef: &catalog.SecretKeyRef{Name: "lake", Key: "password"}},
				{Name: "token", Reference: "env:TABLEWRIGHT_SECRET_TOKEN"},
				{Name: "sslrootcert", Reference: "file:/secrets/ca.pem"},
			},
		},
		Target: plan.Resource{
			Kind: plan.TableKind, Name: name, Path: []string{"sales", "orders.v1"},
			JobID: jobID, Identity: "c0ffee", RequestedBy: "alice",
			Table: catalog.Table{
				Name: name,
				Columns: []catalog.Column{
					{Name: "id", Type: "bigint", NotNull: true, Identity: "ALWAYS"},
					{Name: "no", Type: "integer", NotNull: true, Identity: "BY DEFAULT"},
					{Name: "at", Type: "timestamp with time zone", Default: "now()", Comment: "when"},
				},
				PrimaryKey: []string{"id"},
				Constraints: []catalog.Constraint{
					{Name: "positive", Kind: catalog.Check, Definition: "CHECK (no > 0)"},
					{Kind: catalog.Unique, Definition: "UNIQUE (no)"},
					{Kind: catalog.ForeignKey, Definition: "FOREIGN KEY (no) REFERENCES sales.numbers (no)"},
				},
				Partitioning: []catalog.Transform{
					{Transform: "bucket", Columns: []string{"id"}, Args: []string{"16"}},
					{Transform: "days", Columns: []string{"at"}},
				},
				Options: catalog.Options{{Name: "format_version", Value: "2"}},
				Comment: "orders",
			},
		},
	}
}

func request(step plan.Step) jobspec.Request {
	return jobspec.Request{
		JobID: jobID, Namespace: "tenant-a", Step: step, Schema: schema(), Deadline: 30 * time.Minute,
	}
}

func TestRoundTrip(t *testing.T) {
	schemaStep := fullStep()
	schemaStep.Action = plan.Drop
	schemaStep.Target = plan.Resource{
		Kind: plan.SchemaKind, Name: catalog.Name{Catalog: "lake", Schema: "sales"}, Path: []string{"sales"}, JobID: jobID,
	}
	flat := fullStep()
	flat.Action = plan.Ensure
	flat.Target = plan.Resource{
		Kind: plan.TableKind, Name: catalog.Name{Catalog: "lake", Table: "orders"}, Path: []string{"topic-orders"}, JobID: jobID,
		Table: catalog.Table{Name: catalog.Name{Catalog: "lake", Table: "orders"}},
	}
	for name, step := range map[string]plan.Step{"table": fullStep(), "schema": schemaStep, "flat": flat} {
		t.Run(name, func(t *testing.T) {
			job, err := jobspec.New(request(step))
			if err != nil {
				t.Fatalf("New: %v", err)
			}
			got, err := jobspec.Step(&sent(t, job).Spec)
			if err != nil {
				t.Fatalf("Step: %v", err)
			}
			want := step
			want.ID = got.ID
			want.Destructive = step.Action == plan.Drop
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("the step changed on its way (-want +got):\n%s", diff)
			}
		})
	}
}

// sent is a job as it comes back from an API server.
func sent(t *testing.T, job *v1alpha1.TableProvisionJob) *v1alpha1.TableProvisionJob {
	t.Helper()
	text, err := json.Marshal(job)
	if err != nil {
		t.Fatalf("marshal: %v", err)
	}
	var back v1alpha1.TableProvisionJob
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatalf("unmarshal: %v", err)
	}
	return &back
}

func TestNewMetadata(t *testing.T) {
	limit, ttl := int32(3), time.Hour
	r := request(fullStep())
	r.BackoffLimit, r.TTLAfterFinished, r.OnFailure = &limit, &ttl, v1alpha1.FailurePolicyKeep
	job, err := jobspec.New(r)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	if !strings.HasSuffix(job.Name, jobID) || job.Namespace != "tenant-a" {
		t.Fatalf("name is %s/%s", job.Namespace, job.Name)
	}
	wantAnnotations := map[string]string{v1alpha1.AnnotationTarget: `lake."Sales"."or""ders"`}
	if diff := cmp.Diff(wantAnnotations, job.Annotations); diff != "" {
		t.Fatalf("annotations (-want +got):\n%s", diff)
	}
	wantLabels := map[string]string{
		v1alpha1.LabelManagedBy: v1alpha1.ManagedBy,
		v1alpha1.LabelJobID:     jobID,
		v1alpha1.LabelCatalog:   "lake",
		v1alpha1.LabelTarget:    "lake._Sales_._or__ders",
	}
	if diff := cmp.Diff(wantLabels, job.Labels); diff != "" {
		t.Fatalf("labels (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{v1alpha1.FinalizerRecord}, job.Finalizers); diff != "" {
		t.Fatalf("finalizers (-want +got):\n%s", diff)
	}
	s := job.Spec
	if s.Provisioner != "tablewright.dev/iceberg" || s.RequestedBy != "alice" || s.Table.UID != "c0ffee" ||
		*s.BackoffLimit != 3 || s.TTLAfterFinished.Duration != ttl || s.OnFailure != v1alpha1.FailurePolicyKeep {
		t.Fatalf("spec is %+v", s)
	}
}

func TestProvisionerOption(t *testing.T) {
	step := fullStep()
	step.Catalog.Options = catalog.Options{{Name: "provisioner", Value: "example.com/tables"}}
	job, err := jobspec.New(request(step))
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	if job.Spec.Provisioner != "example.com/tables" {
		t.Fatalf("provisioner is %q", job.Spec.Provisioner)
	}
}

func TestNewRefuses(t *testing.T) {
	const secret = "hunter2-hunter2"
	tests := []struct {
		name string
		edit func(*jobspec.Request)
		code string
	}{
		{"no job id", func(r *jobspec.Request) { r.JobID = "x" }, sqlerr.InternalError},
		{"job id of another version", func(r *jobspec.Request) { r.JobID = "0196c1f4-7a2b-4c3d-8e4f-5a6b7c8d9e0f" }, sqlerr.InternalError},
		{"no deadline", func(r *jobspec.Request) { r.Deadline = 0 }, sqlerr.InternalError},
		{"action", func(r *jobspec.Request) { r.Step.Action = plan.Open }, sqlerr.InternalError},
		{"kind", func(r *jobspec.Request) { r.Step.Target.Kind = plan.CatalogKind }, sqlerr.InternalError},
		{"no name", func(r *jobspec.Request) {
			r.Step.Target.Path, r.Step.Target.Name = nil, catalog.Name{Catalog: "lake"}
		}, sqlerr.InvalidName},
		{"secret as a value", func(r *jobspec.Request) {
			r.Step.Catalog.Options = catalog.Options{{Name: "password", Value: secret}}
		}, sqlerr.InternalError},
		{"value like a reference", func(r *jobspec.Request) {
			r.Step.Catalog.Options = catalog.Options{{Name: "warehouse", Value: "file:/data"}}
		}, sqlerr.InvalidParameterValue},
		{"reference like a value", func(r *jobspec.Request) {
			r.Step.Catalog.Options = catalog.Options{{Name: "password", Reference: "file:///data"}}
		}, sqlerr.InvalidParameterValue},
		{"secret of a table", func(r *jobspec.Request) {
			r.Step.Target.Table.Options = catalog.Options{{Name: "key", Value: secret}}
		}, sqlerr.FeatureNotSupported},
		{"identity", func(r *jobspec.Request) { r.Step.Target.Table.Columns[0].Identity = "SOMETIMES" }, sqlerr.InternalError},
		{"alter without before", func(r *jobspec.Request) { r.Step.Action = plan.Alter }, sqlerr.InternalError},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := request(fullStep())
			tt.edit(&r)
			_, err := jobspec.New(r)
			requireCode(t, err, tt.code)
			if strings.Contains(err.Error(), secret) {
				t.Fatalf("the error tells a secret: %v", err)
			}
		})
	}
}

func requireCode(t *testing.T, err error, code string) {
	t.Helper()
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v, want SQLSTATE %s", err, code)
	}
}

func TestStepRefuses(t *testing.T) {
	value := "v"
	tests := []struct {
		name string
		edit func(*v1alpha1.TableProvisionJobSpec)
		code string
	}{
		{"operation", func(s *v1alpha1.TableProvisionJobSpec) { s.Operation = "Rename" }, sqlerr.FeatureNotSupported},
		{"kind", func(s *v1alpha1.TableProvisionJobSpec) { s.Kind = "View" }, sqlerr.FeatureNotSupported},
		{"option without a value", func(s *v1alpha1.TableProvisionJobSpec) {
			s.Catalog.Options = []v1alpha1.CatalogOption{{Name: "host"}}
		}, sqlerr.InvalidParameterValue},
		{"option with two values", func(s *v1alpha1.TableProvisionJobSpec) {
			s.Catalog.Options = []v1alpha1.CatalogOption{{Name: "host", Value: &value, ValueFrom: &v1alpha1.ValueSource{}}}
		}, sqlerr.InvalidParameterValue},
		{"constraint", func(s *v1alpha1.TableProvisionJobSpec) {
			s.Table.Constraints = []v1alpha1.Constraint{{Definition: "CHECKED (x)"}}
		}, sqlerr.FeatureNotSupported},
		{"identity", func(s *v1alpha1.TableProvisionJobSpec) { s.Table.Columns[0].Identity = "Sometimes" }, sqlerr.InvalidParameterValue},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			job, err := jobspec.New(request(fullStep()))
			if err != nil {
				t.Fatalf("New: %v", err)
			}
			tt.edit(&job.Spec)
			_, err = jobspec.Step(&job.Spec)
			requireCode(t, err, tt.code)
		})
	}
}

func TestNameWithoutDisplayName(t *testing.T) {
	tests := []struct {
		display string
		kind    v1alpha1.ObjectKind
		path    []string
		want    catalog.Name
	}{
		{"", v1alpha1.ObjectTable, []string{"sales", "orders"}, catalog.Name{Catalog: "lake", Schema: "sales", Table: "orders"}},
		{"", "", []string{"orders"}, catalog.Name{Catalog: "lake", Table: "orders"}},
		{"", v1alpha1.ObjectSchema, []string{"sales"}, catalog.Name{Catalog: "lake", Schema: "sales"}},
		{"other.sales.orders", v1alpha1.ObjectTable, []string{"s", "o"}, catalog.Name{Catalog: "lake", Schema: "s", Table: "o"}},
		{`lake."sales`, v1alpha1.ObjectTable, []string{"s", "o"}, catalog.Name{Catalog: "lake", Schema: "s", Table: "o"}},
		{`lake.sales.orders.x`, v1alpha1.ObjectTable, []string{"o"}, catalog.Name{Catalog: "lake", Table: "o"}},
		{`lake."a.b".orders`, v1alpha1.ObjectTable, []string{"x", "y"}, catalog.Name{Catalog: "lake", Schema: "a.b", Table: "orders"}},
	}
	for _, tt := range tests {
		step, err := jobspec.Step(&v1alpha1.TableProvisionJobSpec{
			DisplayName: tt.display, Operation: v1alpha1.OperationDrop, Kind: tt.kind,
			Catalog: v1alpha1.CatalogRef{Name: "lake", Type: "iceberg"}, Table: v1alpha1.TableSpec{Path: tt.path},
		})
		if err != nil {
			t.Fatalf("Step of %q: %v", tt.display, err)
		}
		if diff := cmp.Diff(tt.want, step.Target.Name); diff != "" {
			t.Fatalf("name of %q (-want +got):\n%s", tt.display, diff)
		}
	}
}

func FuzzName(f *testing.F) {
	f.Add("lake", "sales", "orders")
	f.Add("L", `a"b`, "c.d")
	f.Add("lake", `""`, ".")
	f.Fuzz(func(t *testing.T, c, s, table string) {
		if c == "" || s == "" || table == "" {
			return
		}
		want := catalog.Name{Catalog: c, Schema: s, Table: table}
		step, err := jobspec.Step(&v1alpha1.TableProvisionJobSpec{
			DisplayName: want.String(), Operation: v1alpha1.OperationDrop,
			Catalog: v1alpha1.CatalogRef{Name: c}, Table: v1alpha1.TableSpec{Path: []string{"p"}},
		})
		if err != nil {
			t.Fatalf("Step: %v", err)
		}
		if step.Target.Name != want {
			t.Fatalf("%q is read as %+v", want.String(), step.Target.Name)
		}
	})
}
