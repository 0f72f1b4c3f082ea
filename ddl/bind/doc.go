// Package bind turns a parsed statement and a snapshot of what it names into a plan. It does no I/O:
// Requirements says what the snapshot must hold, Compile makes the plan of a statement that defines
// objects, ReadPlan and WritePlan those of statements on rows.
package bind

import (
	"errors"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
)

// ErrNotManaged tells that a statement names nothing of an external system: it is the home database's.
var ErrNotManaged = errors.New("statement names nothing managed")

// System is what the compiler asks of a type of catalog. It does no I/O either.
type System interface {
	// Options describes the options of a catalog and of a table of this type.
	Options() catalog.OptionSchema
	// Check tells whether the system can hold a definition. Its error may name the Column or the
	// Constraint that it is about; the compiler adds where that stands.
	Check(c catalog.Catalog, r plan.Resource) error
	// Alteration tells which columns would lose data when a definition becomes another one. What the system
	// cannot do on any table is an error, which may name the Column.
	Alteration(before, after catalog.Table) (lost []string, err error)
}

// Settings are the session's settings that a plan depends on.
type Settings struct {
	AllowDestructive bool // tablewright.allow_destructive
	Apply            bool // tablewright.mode is apply: CREATE leads what is there to its definition
	// OwnJobs are the jobs of the statement's own transaction, which has not committed.
	OwnJobs []string
	// SecretSuffix makes the names of the statement's secrets its own, so that a statement that is rolled
	// back leaves the secrets of the catalog that it would have replaced.
	SecretSuffix string
	// SameSecrets are the places of stored secrets whose values the statement gives again.
	SameSecrets []catalog.SecretKeyRef
}
