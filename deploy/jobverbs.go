package deploy

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home/history"
)

// WaitForJob waits for the end of a job. A job that failed is an error with the job's own SQLSTATE.
func (d *Deployer) WaitForJob(ctx context.Context, id uuid.UUID, settings Settings, n Notifier) error {
	job, err := d.history.Get(ctx, id)
	if err != nil {
		return jobError(id, err)
	}
	if job, err = d.waitForEnd(ctx, job, settings, n); err != nil {
		return err
	}
	if job.State != history.Succeeded {
		return failureOf(job)
	}
	return nil
}

// waitForEnd waits until a job has ended, whoever began it.
func (d *Deployer) waitForEnd(ctx context.Context, job history.Job, settings Settings, n Notifier) (history.Job, error) {
	stored, err := readPlan(job)
	if err != nil {
		return job, err
	}
	settings.DetachOnCancel, settings.CancelOnDisconnect = true, false // a waiter cancels its wait only
	w := &work{
		Statement: Statement{JobID: job.JobID, Plan: &plan.Plan{Tag: job.Kind, Target: job.Target, Steps: stored.Steps}},
		resource:  job.Resource,
	}
	return d.wait(ctx, waiting{
		work: w, settings: settings, notifier: n, alone: true,
		over: func(job history.Job) bool { return job.State.Final() },
	})
}

// Ended is the plan of a job that failed or was cancelled, for whoever repeats it. One that goes on, has
// succeeded or left something behind that could not be undone is 55000.
func (d *Deployer) Ended(ctx context.Context, id uuid.UUID) (*plan.Plan, error) {
	job, err := d.history.Get(ctx, id)
	if err != nil {
		return nil, jobError(id, err)
	}
	if job.State != history.Failed && job.State != history.Cancelled {
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "job \"%s\" is in state %s", id, job.State).
			WithHint("Jobs that have failed or were cancelled can be repeated.")
	}
	stored, err := readPlan(job)
	if err != nil {
		return nil, err
	}
	return &plan.Plan{
		Statement: job.Statement, Tag: job.Kind, Target: job.Target, TargetUID: job.TargetUID, Locks: job.Targets,
		Hash: job.StatementHash, Steps: stored.Steps, Record: true,
	}, nil
}

// CancelJob asks for the end of a job. One that has ended is 55000. One that the gateway itself carries out is
// ended by cancelling its statement, or here when the statement has left it to be tried again.
func (d *Deployer) CancelJob(ctx context.Context, id uuid.UUID) error {
	job, err := d.history.Get(ctx, id)
	if err != nil {
		return jobError(id, err)
	}
	switch {
	case job.State.Final():
		return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "job \"%s\" has ended as %s", id, job.State)
	case job.Reason == ReasonRetrying && job.Path == history.Fast:
		return d.end(ctx, id, history.Cancelled, "", sqlerr.New(sqlerr.QueryCanceled, "job was cancelled"))
	case job.Resource.Name == "":
		return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "job \"%s\" runs within its statement", id).
			WithHint("Cancel the statement of session %s.", job.SessionID)
	}
	return d.jobs.Cancel(ctx, job.Resource)
}

func jobError(id uuid.UUID, err error) error {
	if errors.Is(err, history.ErrNotFound) {
		return sqlerr.New(sqlerr.UndefinedObject, "job \"%s\" does not exist", id)
	}
	return sqlerr.Wrap(err, sqlerr.IOError, "could not read the history")
}
