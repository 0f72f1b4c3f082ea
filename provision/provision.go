// Package provision declares what Tablewright needs of an external system, and holds one package a
// system. The same code serves the fast path (inline, under a deadline) and the slow path (the
// TableProvisionJob controller, with retries).
package provision

import (
	"context"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
)

// Observation is what a system says of one object. It is read before any write.
type Observation struct {
	Exists bool
	// Identity tells this object from another of the same name: oid and xmin of a PostgreSQL relation,
	// table-uuid of an Iceberg table. Empty when it does not exist.
	Identity string
	// JobID is the mark of the job that made it, empty when it bears none.
	JobID    string
	UpToDate bool     // fits the wanted definition
	Diff     []string // one line a difference, empty when UpToDate
	// Destructive tells that removing the differences would lose data.
	Destructive bool
	Found       catalog.Table // definition as the system has it, in PostgreSQL's types
	// Blocked are the lines of Diff that the system cannot remove.
	Blocked []string
	Outputs []Output // what users may want to know: location, …
	// Dependents are the objects of the system itself that would keep this one from being deleted.
	Dependents []Dependent
}

// Dependent is an object that depends on another of its system.
type Dependent struct {
	Description string   // for people: view public.totals
	Path        []string // of the relation that it is, or is part of; empty for others
}

// Output is one named fact of an object.
type Output struct {
	Name  string
	Value string
}

// Mark persists an object's identity as soon as it is known, and before the object becomes visible
// where the system allows that. A maker that dies afterwards can be told from a stranger.
type Mark func(ctx context.Context, identity string) error

// Reporter is told of each real call a provisioner makes, before (done = false) and after it.
type Reporter func(step string, done bool)

// Call carries what accompanies one verb: where to persist the identity and whom to tell of progress.
// The zero value is valid: nothing is persisted, nobody is told.
type Call struct {
	Mark   Mark
	Report Reporter
}

// Step tells the reporter, when there is one.
func (c Call) Step(name string, done bool) {
	if c.Report != nil {
		c.Report(name, done)
	}
}

// Marked persists identity, when there is a place for it.
func (c Call) Marked(ctx context.Context, identity string) error {
	if c.Mark == nil {
		return nil
	}
	return c.Mark(ctx, identity)
}

// Provisioner manages the objects of one system. Every verb is idempotent and returns when its context
// ends. Errors are *sqlerr.Error values with the codes of Kind's table and never hold a secret.
type Provisioner interface {
	// Observe never writes. An absent object is no error.
	Observe(ctx context.Context, r plan.Resource) (Observation, error)
	// Create makes the object. One that exists is an error of kind Exists, unless it bears r.JobID or has
	// r.Identity: then it is this job's own work and Create succeeds.
	Create(ctx context.Context, r plan.Resource, call Call) (Observation, error)
	// Update converges the object from what was observed to r. It destroys data only where observed.Diff
	// says so, which is the caller's consent; a destructive difference that is not in it, and an object
	// that became another one, are kind Conflict. What the system cannot change is kind Unsupported.
	// r.Renames and r.NewPath rename columns and the table itself, and nothing else is done then.
	Update(ctx context.Context, r plan.Resource, observed Observation, call Call) error
	// Delete removes the object when it is still the one of r.Identity (any, when that is empty). An
	// absent one is success; another one of the same name is kind Conflict and stays.
	Delete(ctx context.Context, r plan.Resource, call Call) error
	// Steps names the calls that an action on r will make, for progress and EXPLAIN.
	Steps(action plan.Action, r plan.Resource) []string
	// Close frees connections. Scans are to be closed before.
	Close() error
}

// MarksFirst is a Provisioner whose Create calls Mark before anything outlasts it: when Mark fails, or never
// comes, nothing is left, not even to be taken back.
type MarksFirst interface {
	Provisioner
	MarksFirst()
}

// Opener opens the system of a catalog and checks that it answers. It is called again when the
// catalog's generation or its secrets change.
type Opener interface {
	Open(ctx context.Context, c catalog.Catalog, secrets SecretResolver) (Provisioner, error)
	// Check validates a definition without any I/O: unknown options, types that the system cannot hold.
	Check(c catalog.Catalog, r plan.Resource) error
	// Alteration tells which columns would lose data when a definition becomes another one: dropped and
	// narrowed ones. What the system cannot do on any table is an error of kind Unsupported. No I/O.
	Alteration(before, after catalog.Table) (lost []string, err error)
	// Options describes the options of a catalog and of a table of this type.
	Options() catalog.OptionSchema
}

// SecretResolver turns an option that is a reference into its value.
type SecretResolver interface {
	Resolve(ctx context.Context, o catalog.Option) (string, error)
}

// ScanRequest asks for rows of one table.
type ScanRequest struct {
	Resource plan.Resource
	Columns  []catalog.Column // wanted, in this order, with the types that the shadow has
	Filters  []Filter         // may be ignored or widened: the caller evaluates the whole WHERE again
	Limit    int64            // 0 = all
}

// Filter is one simple predicate: Column Op Value, all of them joined by AND.
type Filter struct {
	Column string
	Op     string // = <> < <= > >=
	Value  string // PostgreSQL text form, in the column's type
}

// Rows are the rows of a scan, in PostgreSQL's text form; a nil value is NULL. The slices are valid
// until the next call of Next.
type Rows interface {
	Next(ctx context.Context) bool
	Values() [][]byte
	Err() error
	Close() error
}

// Scanner is a provisioner whose tables can be read. The context of Scan covers the rows until Close, in
// addition to those of Next. Limit is used only where Filters is empty.
type Scanner interface {
	Scan(ctx context.Context, req ScanRequest) (Rows, error)
}

// Writer is a provisioner whose tables take rows. rows are in PostgreSQL's text form, nil is NULL; all
// of them are written or none.
type Writer interface {
	Write(ctx context.Context, r plan.Resource, columns []catalog.Column, rows [][][]byte) (int64, error)
}

// Describer is a provisioner that can list what its system holds.
type Describer interface {
	Schemas(ctx context.Context) ([]string, error)
	Tables(ctx context.Context, schema string) ([]string, error)
	Version(ctx context.Context) (string, error)
}
