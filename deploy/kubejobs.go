package deploy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home/history"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/provision"
	"github.com/tablewright/tablewright/provision/jobspec"
)

const (
	// jobDeadline is how long a job may take, retries included.
	jobDeadline  = 30 * time.Minute
	backoffLimit = 6
	// dropDeadline and dropBackoffLimit are those of work that cannot be taken back; the limit is the API's.
	dropDeadline     = 7 * 24 * time.Hour
	dropBackoffLimit = 100
	// jobTTL is how long the resource of an ended job stays; the history keeps its record.
	jobTTL = 24 * time.Hour
)

// KubeJobs makes TableProvisionJobs in one namespace.
type KubeJobs struct {
	Client    client.Client
	Namespace string
	Registry  provision.Registry
}

// Submit makes the resource of a step. Its name follows from the job's id, so that asking twice makes it
// once.
func (k KubeJobs) Submit(ctx context.Context, job uuid.UUID, step plan.Step) (history.Resource, error) {
	object, err := k.object(job, step)
	if err != nil {
		return history.Resource{}, err
	}
	err = k.Client.Create(ctx, object, client.FieldOwner(v1alpha1.FieldOwnerGateway))
	if apierrors.IsAlreadyExists(err) {
		err = k.Client.Get(ctx, client.ObjectKeyFromObject(object), object)
	}
	if err != nil {
		return history.Resource{}, sqlerr.Wrap(err, sqlerr.IOError, "could not submit job %s", job).
			WithDetail("%s", sentence(apiMessage(err)))
	}
	return resourceOf(object), nil
}

func (k KubeJobs) object(job uuid.UUID, step plan.Step) (*v1alpha1.TableProvisionJob, error) {
	opener, err := k.Registry.Opener(step.Catalog.Type)
	if err != nil {
		return nil, err
	}
	ttl, deadline, limit := jobTTL, jobDeadline, int32(backoffLimit)
	if step.Destructive {
		// What has been committed is repeated until it is done.
		deadline, limit = dropDeadline, dropBackoffLimit
	}
	return jobspec.New(jobspec.Request{
		JobID: job.String(), Namespace: k.Namespace, Step: step, Schema: opener.Options(),
		Deadline: deadline, BackoffLimit: &limit, TTLAfterFinished: &ttl,
	})
}

// Render returns the resource that Submit would make.
func (k KubeJobs) Render(job uuid.UUID, step plan.Step) (any, error) { return k.object(job, step) }

// Find returns the resource of a job's step, when there is one.
func (k KubeJobs) Find(ctx context.Context, job uuid.UUID, step plan.Step) (history.Resource, bool, error) {
	object, err := k.object(job, step)
	if err != nil {
		return history.Resource{}, false, err
	}
	err = k.Client.Get(ctx, client.ObjectKeyFromObject(object), object)
	if apierrors.IsNotFound(err) {
		return history.Resource{}, false, nil
	}
	if err != nil {
		return history.Resource{}, false, fmt.Errorf("resource of job %s: %w", job, err)
	}
	return resourceOf(object), true, nil
}

// Cancel sets spec.cancel. An ended job takes no more wishes, which is no error.
func (k KubeJobs) Cancel(ctx context.Context, r history.Resource) error {
	if r.Name == "" {
		return nil
	}
	object := &v1alpha1.TableProvisionJob{}
	object.Namespace, object.Name = r.Namespace, r.Name
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"cancel":true}}`))
	err := k.Client.Patch(ctx, object, patch, client.FieldOwner(v1alpha1.FieldOwnerGateway))
	if apierrors.IsNotFound(err) || apierrors.IsInvalid(err) {
		return nil
	}
	if err != nil {
		return sqlerr.Wrap(err, sqlerr.IOError, "could not cancel job %s", r.Name)
	}
	return nil
}

func resourceOf(object *v1alpha1.TableProvisionJob) history.Resource {
	return history.Resource{
		Namespace: object.Namespace, Kind: v1alpha1.KindTableProvisionJob, Name: object.Name,
		UID: string(object.UID), Generation: object.Generation,
	}
}

// apiMessage is the control plane's own message. It speaks of our object, which holds no secret.
func apiMessage(err error) string {
	if status, ok := errors.AsType[*apierrors.StatusError](err); ok {
		return status.Status().Message
	}
	return "the control plane does not answer"
}
