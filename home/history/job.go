// Package history keeps the record of every job in the home database: who asked for what, what became of
// it, and which gateway looks after it.
//
// A job's row is committed before its first side effect. Its state moves on until it is final; a final
// state never changes, which a trigger ensures for every writer.
package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// State is where a job stands.
type State string

// The states of a job. The last four are final.
const (
	Queued     State = "queued"
	Pending    State = "pending"
	Running    State = "running"
	Cancelling State = "cancelling"
	Undoing    State = "undoing"
	Lost       State = "lost" // its resource is not seen any more; it may be seen again
	Succeeded  State = "succeeded"
	Failed     State = "failed"
	Cancelled  State = "cancelled"
	UndoFailed State = "undo_failed" // needs a person
)

// Final tells whether a state never changes again.
func (s State) Final() bool {
	switch s {
	case Succeeded, Failed, Cancelled, UndoFailed:
		return true
	default:
		return false
	}
}

// The paths that a job can take.
const (
	Fast = "fast" // by the gateway itself, while the statement waits
	Slow = "slow" // by a controller
)

// Limits of what a record keeps, in bytes. What is longer is cut.
const (
	StatementMax = 64 << 10
	ManifestMax  = 256 << 10
	messageMax   = 16 << 10
)

// Record is what is known of a job when it begins.
type Record struct {
	JobID           uuid.UUID // uuid v7; made by Begin when it is zero
	WorkKey         string    // see WorkKey; empty: never joined with another
	HomeXID         string    // decimal id of the user's transaction, from pg_current_xact_id()
	Kind            string    // command tag: CREATE TABLE
	Target          string    // full name in SQL quoting; several are joined by commas
	Targets         []string  // each of the names; Target alone when empty
	TargetUID       string    // of the object as it was found, empty when there was none
	Statement       string    // secrets masked
	StatementHash   string
	Submitter       string
	ApplicationName string
	ClientAddr      string
	SessionID       string
	Path            string // Fast (default) or Slow
	State           State  // Queued by default
	Reason          string
	Cluster         string
	Resource        Resource
	ExternalID      string
	Manifest        string          // secrets masked
	Plan            json.RawMessage // what is to be done, for whoever takes the job over
	ParentJobID     uuid.UUID
	RetryOf         uuid.UUID
	Trigger         string
	WindowStart     time.Time
	WindowEnd       time.Time
	Created         time.Time // the database's clock when zero

	Holder string        // who works on it, see TakeLease; empty: nobody
	Lease  time.Duration // how long the holder has it before it must be renewed
}

// Resource is the custom resource that carries a slow job.
type Resource struct {
	Namespace  string
	Kind       string
	Name       string
	UID        string
	Generation int64
}

// Progress is how far a job has come.
type Progress struct {
	Done, Total int    // steps; Total 0: not counted
	Text        string // what is being done
}

// String is the progress as SHOW JOBS prints it.
func (p Progress) String() string {
	switch {
	case p.Total == 0:
		return p.Text
	case p.Text == "":
		return fmt.Sprintf("%d of %d steps", p.Done, p.Total)
	default:
		return fmt.Sprintf("%d of %d steps, %s", p.Done, p.Total, p.Text)
	}
}

// Failure is why a job failed.
type Failure struct {
	Code    string // SQLSTATE
	Message string
	Detail  string
}

// Job is a record as it stands.
type Job struct {
	Record

	Progress     Progress
	Failure      Failure // zero while there is none
	Attempt      int
	Version      int64 // grows with every change
	Queued       time.Time
	Started      time.Time
	Finished     time.Time
	Updated      time.Time
	LeaseExpires time.Time
}

// Event is one change of a job's state.
type Event struct {
	Attempt  int
	From, To State
	Reason   string
	Message  string
	At       time.Time
}

// ErrNotFound says that there is no such job.
var ErrNotFound = errors.New("job does not exist")

// ErrStale says that the job has changed since the caller read it.
var ErrStale = errors.New("job was changed by another")

// ErrLeaseLost says that the caller does not hold the job any more.
var ErrLeaseLost = errors.New("job is held by another gateway")

// FinalError says that the job had ended already, in another state than the one asked for.
type FinalError struct {
	JobID uuid.UUID
	State State
}

// Error names the job and its end.
func (e *FinalError) Error() string { return fmt.Sprintf("job %s has ended as %s", e.JobID, e.State) }

// clip cuts text to a number of bytes without cutting a character. Zero bytes, which PostgreSQL cannot
// store, end it.
func clip(text string, limit int) string {
	for i := range len(text) {
		if text[i] == 0 {
			text = text[:i]
			break
		}
	}
	if len(text) <= limit {
		return text
	}
	const mark = "…"
	cut := limit - len(mark)
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + mark
}
