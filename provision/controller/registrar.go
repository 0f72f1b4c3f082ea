package controller

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/provision"
)

// registrar keeps one Provisioner a type of catalog, with a heartbeat, while the controller works.
type registrar struct {
	live     client.Reader
	client   client.Client
	registry provision.Registry
	instance string
	version  string
	clock    clock.WithTicker
	log      logr.Logger
}

func newRegistrar(o Options, live client.Reader, c client.Client) *registrar {
	return &registrar{
		live: live, client: c, registry: o.Pool.Registry(), instance: o.Instance, version: o.Version,
		clock: o.Clock, log: o.Log.WithValues("component", "controller"),
	}
}

// Start registers, and renews the heartbeats until ctx ends. What fails is tried again at the next beat.
func (r *registrar) Start(ctx context.Context) error {
	beat := r.clock.NewTicker(v1alpha1.HeartbeatInterval)
	defer beat.Stop()
	for {
		for typ, opener := range r.registry {
			err := r.register(ctx, typ, opener)
			if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
				continue // another instance has just done the same
			}
			if err != nil && ctx.Err() == nil {
				r.log.Error(err, "provisioner could not be registered", "system", typ)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-beat.C():
		}
	}
}

// NeedLeaderElection tells that only the instance that works is registered.
func (r *registrar) NeedLeaderElection() bool { return true }

func (r *registrar) register(ctx context.Context, typ string, opener provision.Opener) error {
	wanted := v1alpha1.ProvisionerSpec{
		ControllerName:  v1alpha1.BuiltinProvisioner(typ),
		Operations:      operations(opener),
		ContractVersion: v1alpha1.ContractVersion,
		Description:     fmt.Sprintf("tables of catalogs of type %s", typ),
	}
	p := &v1alpha1.Provisioner{}
	err := r.live.Get(ctx, client.ObjectKey{Name: v1alpha1.ProvisionerName(wanted.ControllerName)}, p)
	switch {
	case apierrors.IsNotFound(err):
		p = &v1alpha1.Provisioner{Spec: wanted}
		p.Name = v1alpha1.ProvisionerName(wanted.ControllerName)
		p.Labels = map[string]string{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy}
		err = r.client.Create(ctx, p, client.FieldOwner(v1alpha1.FieldOwnerController))
	case err == nil && !equality.Semantic.DeepEqual(p.Spec, wanted):
		p.Spec = wanted
		err = r.client.Update(ctx, p, client.FieldOwner(v1alpha1.FieldOwnerController))
	}
	if err != nil {
		return err
	}
	return r.beat(ctx, p)
}

func (r *registrar) beat(ctx context.Context, p *v1alpha1.Provisioner) error {
	now := metav1.NewTime(r.clock.Now()).Rfc3339Copy()
	s := &p.Status
	s.ObservedGeneration, s.HeartbeatTime, s.Instance, s.Version = p.Generation, &now, r.instance, r.version
	meta.SetStatusCondition(&s.Conditions, metav1.Condition{
		Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonHeartbeat,
		ObservedGeneration: p.Generation, LastTransitionTime: now,
	})
	return r.client.Status().Update(ctx, p, client.FieldOwner(v1alpha1.FieldOwnerController))
}

// operations are the operations that an opener's systems can do.
func operations(opener provision.Opener) []v1alpha1.Operation {
	var list []v1alpha1.Operation
	for _, o := range []struct {
		action    plan.Action
		operation v1alpha1.Operation
	}{
		{plan.Create, v1alpha1.OperationCreate},
		{plan.Ensure, v1alpha1.OperationEnsure},
		{plan.Alter, v1alpha1.OperationAlter},
		{plan.Drop, v1alpha1.OperationDrop},
	} {
		if slices.Contains(actions(opener), o.action) {
			list = append(list, o.operation)
		}
	}
	return list
}
