package controller

import (
	"context"
	"slices"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

// interesting lets events pass that give Reconcile something to do: jobs of this controller that are new,
// or whose spec, deletion or finalizers changed. Status is what this controller writes itself.
func (r *reconciler) interesting() predicate.Predicate {
	ours := func(object client.Object) bool {
		job, ok := object.(*v1alpha1.TableProvisionJob)
		return ok && r.serves(job)
	}
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool { return ours(e.Object) },
		UpdateFunc: func(e event.UpdateEvent) bool {
			before, after := e.ObjectOld, e.ObjectNew
			return ours(after) && (before.GetGeneration() != after.GetGeneration() ||
				before.GetDeletionTimestamp().IsZero() != after.GetDeletionTimestamp().IsZero() ||
				!slices.Equal(before.GetFinalizers(), after.GetFinalizers()))
		},
		DeleteFunc:  func(e event.DeleteEvent) bool { return ours(e.Object) },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}

// tellHolders passes changes of a job to who works on it.
func (r *reconciler) tellHolders() handler.TypedEventHandler[*v1alpha1.TableProvisionJob, reconcile.Request] {
	type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]
	return handler.TypedFuncs[*v1alpha1.TableProvisionJob, reconcile.Request]{
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[*v1alpha1.TableProvisionJob], _ queue) {
			r.jobs.told(e.ObjectNew)
		},
		DeleteFunc: func(_ context.Context, e event.TypedDeleteEvent[*v1alpha1.TableProvisionJob], _ queue) {
			r.jobs.gone(e.Object)
		},
	}
}
