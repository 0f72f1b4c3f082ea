package controller

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

const (
	// controllerName names the controller in logs and in controller-runtime's metrics.
	controllerName = "tableprovisionjob"
	// leaseName is the Lease by which one of several instances is chosen.
	leaseName = "tablewright-controller"

	// What controller-runtime waits before it calls Reconcile again after an error. Errors come from the
	// control plane only; what fails in a system is counted and paused by the job itself.
	errorPauseMin = 50 * time.Millisecond
	errorPauseMax = 10 * time.Second
)

// Controller carries out table provision jobs until its context ends.
type Controller struct {
	manager manager.Manager
}

// New returns a controller; nothing runs before Run.
func New(o Options) (*Controller, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	m, err := newManager(o)
	if err != nil {
		return nil, fmt.Errorf("controller of table provision jobs: %w", err)
	}
	r, err := newReconciler(o, m.GetClient(), m.GetAPIReader())
	if err != nil {
		return nil, fmt.Errorf("controller of table provision jobs: %w", err)
	}
	if err := r.setUp(m, o); err != nil {
		return nil, fmt.Errorf("controller of table provision jobs: %w", err)
	}
	if err := m.Add(newRegistrar(o, m.GetAPIReader(), m.GetClient())); err != nil {
		return nil, fmt.Errorf("registration of provisioners: %w", err)
	}
	return &Controller{manager: m}, nil
}

// Run works until ctx ends, and returns when all work has been put down: what was interrupted is taken up
// by the next instance. It may be called once.
func (c *Controller) Run(ctx context.Context) error {
	if err := c.manager.Start(ctx); err != nil {
		return fmt.Errorf("controller of table provision jobs: %w", err)
	}
	return nil
}

func newManager(o Options) (manager.Manager, error) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	repeatable := true
	return manager.New(o.RESTConfig, manager.Options{
		Scheme: scheme,
		Logger: o.Log,
		Cache: cache.Options{
			DefaultNamespaces: map[string]cache.Config{o.Namespace: {}},
			ByObject: map[client.Object]cache.ByObject{
				&v1alpha1.TableProvisionJob{}: {Transform: thin(serves(o))},
			},
		},
		LeaderElection:                o.LeaderElection,
		LeaderElectionID:              leaseName,
		LeaderElectionNamespace:       o.Namespace,
		LeaderElectionReleaseOnCancel: true,
		Metrics:                       metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress:        "0",
		PprofBindAddress:              "0",
		// One process may run a controller a namespace.
		Controller: config.Controller{SkipNameValidation: &repeatable},
	})
}

// serves returns the types of catalog by the names under which jobs choose this controller.
func serves(o Options) map[string]string {
	types := make(map[string]string, len(o.Pool.Registry()))
	for typ := range o.Pool.Registry() {
		types[v1alpha1.BuiltinProvisioner(typ)] = typ
	}
	return types
}

// thin keeps little more than the name of jobs of other controllers: one watch serves several names, for
// which the API knows no selector.
func thin(types map[string]string) func(any) (any, error) {
	return func(object any) (any, error) {
		job, ok := object.(*v1alpha1.TableProvisionJob)
		if !ok {
			return object, nil
		}
		job.ManagedFields = nil
		if _, ours := types[job.Spec.Provisioner]; !ours {
			job.Annotations, job.Labels = nil, nil
			job.Spec = v1alpha1.TableProvisionJobSpec{Provisioner: job.Spec.Provisioner}
			job.Status = v1alpha1.TableProvisionJobStatus{}
		}
		return job, nil
	}
}

func newReconciler(o Options, c client.Client, live client.Reader) (*reconciler, error) {
	m, err := newMetrics(ctrlmetrics.Registry)
	if err != nil {
		return nil, err
	}
	return &reconciler{
		client: c, live: live, pool: o.Pool, types: serves(o), instance: o.Instance, version: o.Version,
		clock: o.Clock, jobs: newTracker(), metrics: m, writeTimeout: writeTimeoutDefault,
	}, nil
}

// setUp makes the manager call Reconcile for the jobs that are served, and tells their holders of every
// change at once: Reconcile of the same job would come only after its call has ended.
func (r *reconciler) setUp(m manager.Manager, o Options) error {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](errorPauseMin, errorPauseMax)
	return builder.ControllerManagedBy(m).
		Named(controllerName).
		For(&v1alpha1.TableProvisionJob{}, builder.WithPredicates(r.interesting())).
		WatchesRawSource(source.Kind(m.GetCache(), &v1alpha1.TableProvisionJob{}, r.tellHolders())).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: o.Workers,
			RateLimiter:             limiter,
			// A call ends at its job's deadline. A limit here would have to be longer than any of them.
			ReconciliationTimeout: 0,
			LogConstructor:        logConstructor(o.Log),
		}).
		Complete(r)
}

func logConstructor(base logr.Logger) func(*reconcile.Request) logr.Logger {
	return func(req *reconcile.Request) logr.Logger {
		log := base.WithValues("component", "controller")
		if req == nil {
			return log
		}
		return log.WithValues("namespace", req.Namespace, "name", req.Name)
	}
}
