// Package recorder writes what becomes of TableProvisionJobs into the history. Two recorders at once do
// no harm: each write is idempotent and none leaves a final state.
package recorder

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/uuid"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/deploy"
	"github.com/tablewright/tablewright/home/history"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

const (
	// resyncPeriod is how often everything is looked at again, whatever was heard of it.
	resyncPeriod = 10 * time.Minute
	// openBlockDelay is when the resource of a block's job is looked at again: its end in the history
	// waits for the home transaction.
	openBlockDelay = time.Second
	// deletedDelay is when a resource that somebody deletes while it runs is looked at again.
	deletedDelay = 5 * time.Second
	workers      = 4
)

// History is the record of jobs.
type History interface {
	Get(ctx context.Context, id uuid.UUID) (history.Job, error)
	Transition(ctx context.Context, id uuid.UUID, c history.Change) error
	SetProgress(ctx context.Context, id uuid.UUID, p history.Progress) error
}

// Finisher ends jobs.
type Finisher interface {
	FinishSlow(ctx context.Context, job history.Job, o deploy.Outcome) (over bool, err error)
}

// Options of a Recorder.
type Options struct {
	RESTConfig *rest.Config
	Namespace  string
	History    History
	Finisher   Finisher
	Log        logr.Logger
}

// Recorder watches TableProvisionJobs.
type Recorder struct {
	opts    Options
	manager ctrl.Manager
	client  client.Client
}

// New prepares a recorder.
func New(o Options) (*Recorder, error) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	resync := resyncPeriod
	skipNameCheck := true // several recorders in one process, in tests
	manager, err := ctrl.NewManager(o.RESTConfig, ctrl.Options{
		Scheme:     scheme,
		Logger:     o.Log,
		Metrics:    metricsserver.Options{BindAddress: "0"},
		Cache:      cache.Options{SyncPeriod: &resync, DefaultNamespaces: map[string]cache.Config{o.Namespace: {}}},
		Controller: config.Controller{SkipNameValidation: &skipNameCheck},
	})
	if err != nil {
		return nil, fmt.Errorf("recorder: %w", err)
	}
	r := &Recorder{opts: o, manager: manager, client: manager.GetClient()}
	err = ctrl.NewControllerManagedBy(manager).Named("recorder").For(&v1alpha1.TableProvisionJob{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).Complete(r)
	if err != nil {
		return nil, fmt.Errorf("recorder: %w", err)
	}
	return r, nil
}

// Run watches until ctx ends.
func (r *Recorder) Run(ctx context.Context) error { return r.manager.Start(ctx) }

// Reconcile brings the history in line with one resource.
func (r *Recorder) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var object v1alpha1.TableProvisionJob
	err := r.client.Get(ctx, req.NamespacedName, &object)
	if apierrors.IsNotFound(err) {
		return ctrl.Result{}, r.missing(ctx, req.NamespacedName)
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	id, err := uuid.Parse(object.Spec.JobID)
	if err != nil {
		return ctrl.Result{}, nil // not made by a gateway
	}
	job, err := r.opts.History.Get(ctx, id)
	if errors.Is(err, history.ErrNotFound) {
		// Written by somebody else, or for another home database: not ours to keep.
		return ctrl.Result{}, r.release(ctx, &object)
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	if job.State.Final() {
		return ctrl.Result{}, r.release(ctx, &object)
	}
	return r.record(ctx, job, &object)
}

// record writes where the resource stands.
func (r *Recorder) record(ctx context.Context, job history.Job, object *v1alpha1.TableProvisionJob) (ctrl.Result, error) {
	if job.Resource.UID != "" && job.Resource.UID != string(object.UID) {
		return ctrl.Result{}, nil // another object of the same name: its status is not this job's
	}
	switch {
	case object.Status.Phase.Final():
		over, err := r.opts.Finisher.FinishSlow(ctx, job, outcomeOf(object))
		if err != nil {
			return ctrl.Result{}, err
		}
		if !over {
			return ctrl.Result{RequeueAfter: openBlockDelay}, nil
		}
		return ctrl.Result{}, r.release(ctx, object)
	case !object.DeletionTimestamp.IsZero():
		// The controller stops, undoes and ends it; the end is recorded then.
		return ctrl.Result{RequeueAfter: deletedDelay}, r.progress(ctx, job, object)
	default:
		return ctrl.Result{}, r.progress(ctx, job, object)
	}
}

// progress writes a state or a progress that has changed.
func (r *Recorder) progress(ctx context.Context, job history.Job, object *v1alpha1.TableProvisionJob) error {
	now := progressOf(object)
	state := stateOf(object.Status.Phase)
	attempt := int(object.Status.Attempt)
	failure := failureOf(object)
	if job.State == state && job.Attempt == max(attempt, 1) && (failure == nil || *failure == job.Failure) {
		if job.Progress == now {
			return nil
		}
		return r.opts.History.SetProgress(ctx, job.JobID, now)
	}
	err := r.opts.History.Transition(ctx, job.JobID, history.Change{
		State: state, Reason: reasonOf(object), Message: object.Status.Message, Progress: &now, Attempt: attempt, Failure: failure,
		Resource: history.Resource{
			Namespace: object.Namespace, Kind: v1alpha1.KindTableProvisionJob, Name: object.Name,
			UID: string(object.UID), Generation: object.Generation,
		},
		Key: fmt.Sprintf("%s %s %s", object.UID, object.ResourceVersion, state),
	})
	if errors.Is(err, history.ErrStale) {
		return nil // the history knows of a later attempt
	}
	return err
}

func deletedError(job history.Job) *sqlerr.Error {
	return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "job %s was deleted outside", job.JobID).
		WithDetail("Its TableProvisionJob was deleted while it ran.")
}

// missing deals with a resource that is gone. With our finalizer on it, it went only after its end was
// recorded, unless somebody took the finalizer away.
func (r *Recorder) missing(ctx context.Context, name types.NamespacedName) error {
	id, ok := v1alpha1.JobIDOf(name.Name)
	if !ok {
		return nil
	}
	parsed, err := uuid.Parse(id)
	if err != nil {
		return nil
	}
	job, err := r.opts.History.Get(ctx, parsed)
	if errors.Is(err, history.ErrNotFound) || err == nil && (job.State.Final() || job.Resource.Name != name.Name) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = r.opts.Finisher.FinishSlow(ctx, job, deploy.Outcome{State: history.Failed, Failure: deletedError(job)})
	return err
}

// release takes our finalizer off: the end is on record.
func (r *Recorder) release(ctx context.Context, object *v1alpha1.TableProvisionJob) error {
	before := object.DeepCopy()
	if !controllerutil.RemoveFinalizer(object, v1alpha1.FinalizerRecord) {
		return nil
	}
	err := r.client.Patch(ctx, object, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), client.FieldOwner(v1alpha1.FieldOwnerGateway))
	return client.IgnoreNotFound(err)
}
