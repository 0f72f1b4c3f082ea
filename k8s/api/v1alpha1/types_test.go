package v1alpha1

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func TestSchemeKnowsEveryKind(t *testing.T) {
	s := runtime.NewScheme()
	if err := AddToScheme(s); err != nil {
		t.Fatalf("AddToScheme: %v", err)
	}
	for _, kind := range []string{KindTableProvisionJob, KindTableProvisionJob + "List", KindProvisioner, KindProvisioner + "List"} {
		if !s.Recognizes(Kind(kind)) {
			t.Errorf("the scheme does not know %s", kind)
		}
	}
}

// What a writer leaves out must not be sent: an empty value would be another
// wish than none, and an apply would own the field.
func TestEmptyFieldsAreNotSent(t *testing.T) {
	job := TableProvisionJob{Spec: TableProvisionJobSpec{
		JobID: jobA, Operation: OperationCreate, Provisioner: BuiltinProvisioner("iceberg"),
		Catalog:  CatalogRef{Name: "lake", Type: "iceberg"},
		Table:    TableSpec{Path: []string{"orders"}},
		Deadline: metav1.Duration{Duration: 30 * time.Minute},
	}}
	want := `{"metadata":{},"spec":{"jobId":"` + jobA + `","operation":"Create","provisioner":"tablewright.dev/iceberg",` +
		`"catalog":{"name":"lake","type":"iceberg"},"table":{"path":["orders"]},"deadline":"30m0s"}}`
	got, err := json.Marshal(job)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Fatalf("JSON (-want +got):\n%s", diff)
	}
	u, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&job)
	if err != nil {
		t.Fatalf("to unstructured: %v", err)
	}
	if _, has := u["status"]; has {
		t.Fatalf("the unstructured form has a status: %v", u["status"])
	}
}

func TestDefaults(t *testing.T) {
	zero := int32(0)
	if got := (&TableProvisionJobSpec{}).BackoffLimitOrDefault(); got != 6 {
		t.Errorf("BackoffLimitOrDefault without a limit = %d, want 6", got)
	}
	if got := (&TableProvisionJobSpec{BackoffLimit: &zero}).BackoffLimitOrDefault(); got != 0 {
		t.Errorf("BackoffLimitOrDefault with 0 = %d, want 0", got)
	}
	no := false
	if !(Column{}).IsNullable() || (Column{Nullable: &no}).IsNullable() {
		t.Errorf("a column takes nulls unless it says no")
	}
}

func TestFinalPhases(t *testing.T) {
	final := map[Phase]bool{
		"": false, PhasePending: false, PhaseRunning: false, PhaseUndoing: false, PhaseCancelling: false,
		PhaseSucceeded: true, PhaseFailed: true, PhaseCancelled: true,
	}
	for p, want := range final {
		if p.Final() != want {
			t.Errorf("%q.Final() = %v, want %v", p, p.Final(), want)
		}
	}
}

func TestProvisionerAliveAndSupports(t *testing.T) {
	now := time.Now()
	p := &Provisioner{Spec: ProvisionerSpec{Operations: []Operation{OperationCreate}}}
	if p.Alive(now) {
		t.Errorf("a Provisioner without a heartbeat is alive")
	}
	p.Status.HeartbeatTime = &metav1.Time{Time: now.Add(-HeartbeatExpiry + time.Second)}
	if !p.Alive(now) {
		t.Errorf("a heartbeat %s old counts as missed", HeartbeatExpiry-time.Second)
	}
	if p.Alive(now.Add(time.Second)) {
		t.Errorf("a heartbeat %s old counts as alive", HeartbeatExpiry)
	}
	if !p.Supports(OperationCreate) || p.Supports(OperationDrop) {
		t.Errorf("Supports does not follow spec.operations")
	}
}
