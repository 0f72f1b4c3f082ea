package deploy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home/history"
	"github.com/tablewright/tablewright/provision"
)

// Reasons that the recorder leaves on a job whose end depends on the home commit still: the job of a
// block is not over when its resource is.
const (
	ReasonProvisioned = "Provisioned"
	ReasonFailed      = "ProvisioningFailed"
)

// submitMax bounds the submission of a job after the home commit; recovery repeats it.
const submitMax = 10 * time.Second

// cancelMax is how long a cancelled statement waits for the job's confirmed end.
const cancelMax = 10 * time.Second

// submit makes the resource of a step and records it.
func (d *Deployer) submit(ctx context.Context, job uuid.UUID, step plan.Step) (history.Resource, error) {
	if d.jobs == nil {
		return history.Resource{}, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "there is no control plane for jobs of catalog \"%s\"", step.Catalog.Name)
	}
	resource, err := d.jobs.Submit(ctx, job, step)
	if err != nil {
		return resource, err
	}
	return resource, d.noteSubmitted(ctx, job, resource)
}

// noteSubmitted records a resource, unless the recorder has seen it first: what that wrote is newer.
func (d *Deployer) noteSubmitted(ctx context.Context, id uuid.UUID, resource history.Resource) error {
	for {
		job, err := d.history.Get(ctx, id)
		if err != nil || job.State.Final() || job.Resource.UID == resource.UID {
			return err
		}
		err = d.history.Transition(ctx, id, history.Change{State: history.Pending, Resource: resource, Version: job.Version})
		if !errors.Is(err, history.ErrStale) {
			return err
		}
	}
}

// slowStep carries a slow step of a block out: as a job whose end is waited for while the home
// transaction is open.
func (r *Run) slowStep(ctx context.Context, w *work, step plan.Step, n Notifier) error {
	w.slow = &step
	resource, err := r.d.submit(ctx, w.JobID, step)
	w.resource = resource
	if err != nil {
		return err
	}
	job, err := r.d.wait(ctx, waiting{work: w, settings: r.req.Settings, notifier: n, over: provisioned})
	if err != nil {
		return err
	}
	if job.Reason != ReasonProvisioned {
		return failureOf(job)
	}
	w.made = append(w.made, madeStep{step, job.ExternalID})
	return nil
}

// provisioned tells whether the job's resource has ended; the job itself may wait for the home commit.
func provisioned(job history.Job) bool {
	return job.State.Final() || job.Reason == ReasonProvisioned || job.Reason == ReasonFailed
}

// failureOf is a failed job's error for the client that waits for it.
func failureOf(job history.Job) error {
	e := sqlerr.New(job.Failure.Code, "%s", job.Failure.Message)
	if e.Code == "" {
		e = sqlerr.New(sqlerr.IOError, "job %s ended as %s", job.JobID, job.State)
	}
	detail := fmt.Sprintf("Job %s ended as %s.", job.JobID, job.State)
	if job.Failure.Detail != "" {
		detail = job.Failure.Detail + "\n" + detail
	}
	return e.WithDetail("%s", detail)
}

// destructive tells whether the work cannot be undone.
func (w *work) destructive() bool {
	return slices.ContainsFunc(w.Plan.Steps, func(s plan.Step) bool { return s.Destructive })
}

// isStuck tells whether work that is repeated until it is done needs somebody to clear its way.
func (w *work) isStuck(job history.Job) bool {
	return w.destructive() && job.Failure.Code != "" && !provision.Retryable(sqlerr.New(job.Failure.Code, "%s", job.Failure.Message))
}

// stuckWarning tells that what has been committed at home is not done outside. That is no error: the
// statement cannot be taken back.
func stuckWarning(w *work, job history.Job) plan.Notice {
	step, cause := w.Plan.Steps[len(w.Plan.Steps)-1], sqlerr.New(job.Failure.Code, "%s", job.Failure.Message)
	n := unfinished(w, step, cause)
	if job.State.Final() {
		n.Message = fmt.Sprintf("job %s ended as %s: %s of %s was not done", w.JobID, job.State, w.Plan.Tag, step.Target.Name)
		n.Detail = fmt.Sprintf("%s The object is still in catalog \"%s\".", sentence(cause.Message), step.Catalog.Name)
	}
	return n
}

// cancelAndWait cancels a job and waits for its end, which may be that it was done already.
func (d *Deployer) cancelAndWait(ctx context.Context, id uuid.UUID, resource history.Resource) (history.Job, error) {
	changed, stop := d.changes.Subscribe(id)
	defer stop()
	if err := d.jobs.Cancel(ctx, resource); err != nil {
		return history.Job{}, err
	}
	for {
		job, err := d.history.Get(ctx, id)
		if err != nil {
			return job, err
		}
		if provisioned(job) {
			return job, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return job, sqlerr.New(sqlerr.IOError, "job %s did not end in time", id).WithCause(ctx.Err())
		}
	}
}
