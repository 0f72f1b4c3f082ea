// Package plan holds what a statement on managed objects comes to: what is done in the home database,
// which steps are taken in external systems, in which order, and how each is undone.
package plan

import (
	"time"

	"github.com/tablewright/tablewright/ddl/catalog"
)

// Action is what a step does to its target.
type Action string

// The actions.
const (
	Create Action = "Create"
	Ensure Action = "Ensure"
	Alter  Action = "Alter"
	Drop   Action = "Drop"
	Open   Action = "Open" // opens and checks a catalog's system; changes nothing
)

// Path tells who carries a step out.
type Path string

// The two paths: Fast steps run inline under a deadline, Slow ones as a TableProvisionJob.
const (
	Fast Path = "fast"
	Slow Path = "slow"
)

// Kind is the kind of an external object.
type Kind string

// The kinds of external object.
const (
	SchemaKind  Kind = "schema"
	TableKind   Kind = "table"
	CatalogKind Kind = "catalog"
)

// Resource is the wanted definition of one object of an external system.
type Resource struct {
	Kind  Kind
	Name  catalog.Name
	Path  []string      // inside the system; from Name, or as WITH (name = '…') maps it
	Table catalog.Table // for TableKind
	// Renames are the columns that an Alter renames; it changes nothing else then. Table has the new names.
	Renames []Rename `json:",omitempty"`
	// NewPath is the path that an Alter gives the object; it changes nothing else then.
	NewPath []string `json:",omitempty"`
	// JobID marks what a job makes, where the system can hold a mark, so that a job that is repeated
	// knows its own work.
	JobID string
	// Identity is the object that is meant (see provision.Observation); empty for one that is to be made.
	Identity string
	// RequestedBy is the role that asked.
	RequestedBy string
}

// Rename is a new name of a column.
type Rename struct{ From, To string }

// Renamed is the resource as a rename leaves it.
func (r Resource) Renamed() Resource {
	if r.NewPath != nil {
		r.Path, r.NewPath = r.NewPath, nil
	}
	r.Renames = nil
	return r
}

// Step is one change of one external object.
type Step struct {
	ID      string // unique in the plan: "create table lake.sales.orders"
	Action  Action
	Catalog catalog.Catalog
	Target  Resource
	// Before is the definition that an Alter starts from; its inverse leads back to it.
	Before      *catalog.Table `json:",omitempty"`
	Destructive bool           // cannot be undone: runs after the home commit
	// Converge tells that an Alter leads the object to its definition whatever it is by now; Lossy allows it
	// to destroy what stands in the way.
	Converge  bool `json:",omitempty"`
	Lossy     bool `json:",omitempty"`
	Path      Path
	DependsOn []string // IDs
	// Deadline bounds a fast step; 0 stands for the catalog's.
	Deadline time.Duration
}

// HomeStatement is one statement that is run in the home database on the session's own connection.
type HomeStatement struct {
	SQL    string
	Ticket bool // needs a ticket for exactly this text
	// Own marks the statement that stands for the client's: its command tag, notices and errors are the
	// client's. The others' are not shown, but for errors.
	Own bool
	// Origin maps byte offsets of SQL back to the original statement; nil when no part of it is original.
	Origin *Rewrite
}

// Notice is a message for the client that is no error.
type Notice struct {
	Severity string // NOTICE, WARNING, INFO
	Code     string
	Message  string
	Detail   string
	Hint     string
}

// Plan is what a statement comes to. The zero Steps mean that nothing outside is to be done.
type Plan struct {
	Statement string // original text, secrets masked
	Tag       string // command tag: CREATE TABLE
	Target    string // full name in SQL quoting, for the job record
	TargetUID string // identity of an existing target, or "absent"
	Hash      string // over what would be done
	Home      []HomeStatement
	Steps     []Step
	Notices   []Notice
	// Lock is the full name whose advisory lock is taken first, so that two makers of one object meet.
	Lock string
	// Locks are all names to lock when the statement is about several objects, sorted, so that two
	// statements never wait for each other; Lock is the first of them.
	Locks []string
	// Shares are what nobody may change or drop meanwhile: the catalogs and schemas of the objects that the
	// statement is about, and what they are to depend on.
	Shares []string
	// Refers are the full names of the tables that a foreign key of the statement refers to.
	Refers []string
	// Whole tells that the statement is about everything in what it locks.
	Whole bool
	// Named are objects that get a name of it without a step.
	Named []catalog.Name
	// Discover is the catalog whose tables are read into shadows when the home statements have run.
	Discover *catalog.Catalog
	// Waits tells that the statement waits for another one on the same object instead of failing (IF NOT
	// EXISTS, IF EXISTS, apply mode).
	Waits bool
	// Settings are the session's settings that the statement's own WITH clause sets, without the prefix
	// "tablewright.": wait_for, wait_timeout, on_failure and so on.
	Settings catalog.Options
	// HomeAlone tells that the statement is the home database's: such a plan is only to be shown.
	HomeAlone bool
	// Record tells that the statement leaves a job record: it has steps, or it changes what catalogs there are.
	Record bool
	// Present is the OID at home of the table that is there and ready, when all that is left of the statement is
	// PostgreSQL's notice; 0 otherwise. PresentName is its name in the notice.
	Present     uint32
	PresentName string
	// WaitJob is the job that is making the object which the statement wants made if it is absent.
	WaitJob string
	// Relation is the OID of the shadow that the statement changes, 0 when it makes one or drops it.
	Relation uint32
	// Shadow is what the registry must know of a changed shadow; nil when nothing.
	Shadow *ShadowChange
	// Referrers are what the registry must know of shadows that refer to the changed one.
	Referrers []ShadowChange
	// Unchanged tells that home has nothing to do: the statement does nothing if the systems have not either.
	Unchanged bool
	// Made are names that the statement makes and no step creates.
	Made []catalog.Name
	// Restore are statements for the shadow that take the change back, when a job fails after the home
	// commit; RestorePath is the path that the object then has again.
	Restore     []string
	RestorePath []string
	// Forget are values of the secret store that nothing refers to any more once the plan is done.
	Forget []catalog.SecretKeyRef
	// Secrets are literal secrets that go to the secret store before anything is recorded.
	Secrets []Secret
}

// ShadowChange is a change of what the registry knows of a shadow; what is nil stays.
type ShadowChange struct {
	Relation    string // its name in SQL, after the statement
	Path        []string
	Managed     *bool // true: observed
	Options     *catalog.Options
	ForeignKeys *[]catalog.Constraint
}

// Empty tells whether nothing is changed.
func (c *ShadowChange) Empty() bool {
	return c == nil || c.Path == nil && c.Managed == nil && c.Options == nil && c.ForeignKeys == nil
}

// Secret is a literal secret of the statement and the place that it goes to.
type Secret struct {
	Ref      catalog.SecretKeyRef
	Value    string
	Replaces *catalog.SecretKeyRef // where the former value is; nil when there is none
}
