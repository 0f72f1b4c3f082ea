package deploy

import (
	"context"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/home/history"
)

// Outcome is how the resource of a job ended.
type Outcome struct {
	State    history.State // Succeeded, Failed, Cancelled or UndoFailed
	Identity string        // of the object, for Succeeded
	Failure  *sqlerr.Error // for the others
}

// FinishSlow brings history and shadow in line with the end of a job's resource. It tells whether the
// job itself is over: that of a block waits for its home transaction. It may be called again.
func (d *Deployer) FinishSlow(ctx context.Context, job history.Job, o Outcome) (over bool, err error) {
	stored, err := readPlan(job)
	if err != nil {
		return false, err
	}
	if !stored.Alone {
		return false, d.noteOutcome(ctx, job, o)
	}
	if o.State == history.Succeeded {
		return true, d.succeed(ctx, job.JobID, stored.Relation, o.Identity)
	}
	if err := d.takeShadowBack(ctx, job, stored); err != nil {
		return false, err
	}
	return true, d.end(ctx, job.JobID, o.State, "", o.Failure)
}

// takeShadowBack removes the shadow or home schema of what was not made, and changes that of what was not changed
// back.
func (d *Deployer) takeShadowBack(ctx context.Context, job history.Job, stored storedPlan) error {
	r := stored.Restore
	switch {
	case stored.Schema != 0:
		return d.shadows.RemoveSchema(ctx, stored.Schema)
	case stored.Relation == 0:
		return nil
	case r == nil:
		return d.shadows.Remove(ctx, stored.Relation, job.JobID)
	}
	return d.shadows.Restore(ctx, stored.Relation, job.JobID, r.Statements, home.RelationPatch{
		State: "ready", JobID: new(string), Path: r.Path, Options: r.Options, ForeignKeys: r.Keys,
	})
}

// noteOutcome tells the run of a block, or who recovers it, how its resource ended.
func (d *Deployer) noteOutcome(ctx context.Context, job history.Job, o Outcome) error {
	change := history.Change{State: history.Running, Reason: ReasonProvisioned, ExternalID: o.Identity, Key: "outcome " + job.Resource.UID}
	if o.State != history.Succeeded {
		change.Reason = ReasonFailed
		change.Failure = &history.Failure{Code: o.Failure.Code, Message: o.Failure.Message, Detail: o.Failure.Detail}
	}
	return d.history.Transition(ctx, job.JobID, change)
}
