// Package deploy carries plans out: it records each statement as a job, runs fast steps inline under a
// deadline, hands slow ones to TableProvisionJobs, undoes what it did when a later part fails, and
// recovers what a gateway that died left behind.
package deploy

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/plan"
)

// Origin is who asked, for the record.
type Origin struct {
	User            string
	ApplicationName string
	ClientAddr      string
	SessionID       string
}

// Statement is one planned statement that has been carried out in the home database, in the still open
// transaction of the request.
type Statement struct {
	Plan  *plan.Plan
	JobID uuid.UUID
	// Relation is the OID of the shadow that the statement made, 0 when it made none.
	Relation uint32
	// Schema is the OID of the home schema that the statement made, 0 when it made none.
	Schema uint32
	// Parent is the job of the statement that this one is a part of; zero for a whole statement.
	Parent uuid.UUID
	// RetryOf is the job that this one repeats; zero for a new one.
	RetryOf uuid.UUID
}

// Request is the external work of one home transaction.
type Request struct {
	Statements []Statement
	// HomeXID is the home transaction; whether it committed decides after a crash what is to be done.
	HomeXID uint64
	// Alone tells that the transaction is one statement outside a block. Its slow work then runs after
	// the home commit, so that no lock is held meanwhile.
	Alone    bool
	Origin   Origin
	Settings Settings
}

// WaitFor says which state of a job a statement waits for.
type WaitFor string

// The states that a statement may wait for.
const (
	Recorded WaitFor = "recorded"
	Accepted WaitFor = "accepted"
	Ready    WaitFor = "ready"
	Finished WaitFor = "finished"
)

// Settings are the session's wishes for one statement (docs/sql.md, Settings).
type Settings struct {
	WaitFor            WaitFor
	WaitTimeout        time.Duration // 0 = no limit
	NoticeOnTimeout    bool          // on_timeout = notice
	DetachOnCancel     bool          // on_cancel = detach
	CancelOnDisconnect bool          // on_disconnect = cancel_job
	NoticeAfter        time.Duration
	NoticeInterval     time.Duration
	DryRun             bool
	Rehearse           bool   // dry_run = stage
	PlanHash           string // of the only plan that may be carried out; empty: any
	Apply              bool   // mode = apply
	DDLInTransaction   string
	ClientMinMessages  string
	StatementTimeout   time.Duration // 0 = no limit
	AllowDestructive   bool
	ApplicationName    string
}

// Notifier is told what the waiting client may want to know. Notify never blocks the work for long.
type Notifier interface {
	Notify(ctx context.Context, n plan.Notice)
}

// Silent is a Notifier that nobody listens to.
type Silent struct{}

// Notify does nothing.
func (Silent) Notify(context.Context, plan.Notice) {}
