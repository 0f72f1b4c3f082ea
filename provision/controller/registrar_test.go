package controller

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

func TestRegisters(t *testing.T) {
	stale := &v1alpha1.Provisioner{Spec: v1alpha1.ProvisionerSpec{
		ControllerName: "tablewright.dev/readonly", Operations: []v1alpha1.Operation{v1alpha1.OperationDrop}, ContractVersion: "v1alpha1",
	}}
	stale.Name = v1alpha1.ProvisionerName(stale.Spec.ControllerName)
	if err := client.IgnoreAlreadyExists(api.Create(t.Context(), stale)); err != nil {
		t.Fatalf("make the old registration: %v", err)
	}
	began := time.Now().Truncate(time.Second)
	run(t, options(newSystem(t), namespaceOf(t), "registered"))
	want := map[string][]v1alpha1.Operation{
		"tablewright.dev/fake": {
			v1alpha1.OperationCreate, v1alpha1.OperationEnsure, v1alpha1.OperationAlter, v1alpha1.OperationDrop,
		},
		"tablewright.dev/readonly": {v1alpha1.OperationEnsure},
	}
	for name, operations := range want {
		p := awaitProvisioner(t, name, "registered")
		if diff := cmp.Diff(operations, p.Spec.Operations); diff != "" {
			t.Fatalf("operations of %s (-want +got):\n%s", name, diff)
		}
		if p.Spec.ContractVersion != v1alpha1.ContractVersion || p.Status.Version != "v0" ||
			p.Status.HeartbeatTime.Time.Before(began) || !p.Alive(time.Now()) ||
			len(p.Status.Conditions) != 1 || p.Status.Conditions[0].Reason != v1alpha1.ReasonHeartbeat {
			t.Fatalf("provisioner is %+v", p)
		}
	}
}

func awaitProvisioner(t *testing.T, name, instance string) *v1alpha1.Provisioner {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-tick.C {
		p := &v1alpha1.Provisioner{}
		err := api.Get(t.Context(), client.ObjectKey{Name: v1alpha1.ProvisionerName(name)}, p)
		if client.IgnoreNotFound(err) != nil {
			t.Fatalf("get: %v", err)
		}
		if err == nil && p.Status.Instance == instance {
			return p
		}
	}
	t.Fatalf("%s is not registered", name)
	return nil
}
