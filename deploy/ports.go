package deploy

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/home/history"
)

// History is the record of jobs.
type History interface {
	BeginAll(ctx context.Context, records []history.Record) ([]history.Job, []bool, error)
	Transition(ctx context.Context, id uuid.UUID, c history.Change) error
	SetProgress(ctx context.Context, id uuid.UUID, p history.Progress) error
	Get(ctx context.Context, id uuid.UUID) (history.Job, error)
	UnfinishedOn(ctx context.Context, targets []string) (history.Job, error)
	XactStatus(ctx context.Context, xid string) (history.XactStatus, error)
}

// Leases say which gateway looks after which unfinished job.
type Leases interface {
	TakeLease(ctx context.Context, id uuid.UUID, holder string, d time.Duration) (bool, error)
	Renew(ctx context.Context, holder string, d time.Duration) ([]uuid.UUID, error)
	Release(ctx context.Context, id uuid.UUID, holder string) error
	Expired(ctx context.Context, limit int) ([]history.Job, error)
	Unfinished(ctx context.Context, limit int) ([]history.Job, error)
}

// Shadows changes what the home database knows of a managed object, outside any user's transaction.
type Shadows interface {
	// Ready notes that what a shadow stands for exists, and which object it is.
	Ready(ctx context.Context, relation uint32, job uuid.UUID, identity string) error
	// Remove takes away the shadow that a job's statement made, because what it stands for was not made.
	// A shadow that something depends on by now stays and is marked as failed.
	Remove(ctx context.Context, relation uint32, job uuid.UUID) error
	// RemoveSchema takes away the home schema of a schema that was not made, unless something is in it by now. Its
	// OID alone says which: the registry knows of no job of a schema.
	RemoveSchema(ctx context.Context, schema uint32) error
	// Restore takes a change of a shadow back that a job's statement made: the statements lead back, the
	// patch is for the registry.
	Restore(ctx context.Context, relation uint32, job uuid.UUID, statements []string, patch home.RelationPatch) error
}

// Jobs are the TableProvisionJobs of the control plane.
type Jobs interface {
	// Submit makes the resource of a step; one that was made before for the same job is found again.
	Submit(ctx context.Context, job uuid.UUID, step plan.Step) (history.Resource, error)
	// Find returns the resource of a job's step, when there is one.
	Find(ctx context.Context, job uuid.UUID, step plan.Step) (history.Resource, bool, error)
	// Render returns the resource that Submit would make.
	Render(job uuid.UUID, step plan.Step) (any, error)
	// Cancel asks for the end of a job. One that has ended, or is not there, is no error.
	Cancel(ctx context.Context, r history.Resource) error
}

// Changes tells of jobs that have changed in the history, by whichever gateway.
type Changes interface {
	// Subscribe returns a channel that holds a value whenever the job may have changed.
	Subscribe(id uuid.UUID) (<-chan struct{}, func())
}
