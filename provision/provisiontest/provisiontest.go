// Package provisiontest is the conformance suite of provisioners: what every system's package must do,
// said once. A package describes its system in a Config and calls Run from its own tests.
package provisiontest

import (
	"context"
	"testing"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/provision"
)

// System is one private, empty external system, with the means to look at it and to disturb it that are
// not the provisioner's own.
type System struct {
	Opener  provision.Opener
	Catalog catalog.Catalog
	Secrets provision.SecretResolver
	// Secret is the text that the catalog's credentials hold; no error may show it. Empty when there are none.
	Secret string

	// MakeTable makes a table of one integer column n, as a stranger does.
	MakeTable func(ctx context.Context, path []string) error
	// DropTable drops a table, as a stranger does.
	DropTable func(ctx context.Context, path []string) error
	// Rows reads a table's rows in PostgreSQL's text form, in any order; a nil value is NULL.
	Rows func(ctx context.Context, path, columns []string) ([][]*string, error)

	// Down makes the system unreachable, Up reachable again.
	Down func() error
	Up   func() error
	// Block makes calls that change the system wait until release is called.
	Block func(ctx context.Context, path []string) (release func() error, err error)
	// Denied is a catalog whose credentials may look but not write; nil where nothing of the kind can be had.
	Denied *catalog.Catalog
	// Broken are catalogs that Open must refuse with HV00N: no server, wrong credentials.
	Broken []catalog.Catalog
}

// Type is one line of a system's type table.
type Type struct {
	SQL    string   // canonical, as the shadow has it
	Found  string   // as the system gives it back; empty when it is the same
	Values []string // in PostgreSQL's text form; they come back as they are
}

// Config describes what the system can do.
type Config struct {
	// New starts a system of the test's own, and registers its end.
	New func(t *testing.T) *System
	// Types is the whole type table.
	Types []Type
	// Refused are types that the system cannot hold: 42804 naming the column.
	Refused []string
	// JobMark tells that objects bear the id of the job that made them.
	JobMark bool
	// Denied tells that New gives a catalog whose credentials may not write.
	Denied bool
	// NameBytesMax is the longest name, in bytes. Default 63.
	NameBytesMax int
}

type suiteTest struct {
	name string
	run  func(t *testing.T, c Config)
}

// Run runs every test of the suite.
func Run(t *testing.T, c Config) {
	t.Helper()
	if c.NameBytesMax == 0 {
		c.NameBytesMax = catalog.NameLengthMax
	}
	tests := []suiteTest{
		{"SchemaLifecycle", testSchemaLifecycle},
		{"TableLifecycle", testTableLifecycle},
		{"Strangers", testStrangers},
		{"Replaced", testReplaced},
		{"CreateRepeated", testCreateRepeated},
		{"CreateConcurrent", testCreateConcurrent},
		{"Mark", testMark},
		{"MarkFails", testMarkFails},
		{"ContextEnds", testContextEnds},
		{"Blocked", testBlocked},
		{"DownAndUp", testDownAndUp},
		{"Broken", testBroken},
		{"Check", testCheck},
		{"Types", testTypes},
		{"TypesRefused", testTypesRefused},
		{"Rows", testRows},
		{"RowsAllOrNone", testRowsAllOrNone},
		{"Filters", testFilters},
		{"ScanClosedEarly", testScanClosedEarly},
		{"ManyColumns", testManyColumns},
		{"Names", testNames},
		{"Update", testUpdate},
		{"UpdateDestructive", testUpdateDestructive},
		{"Describe", testDescribe},
		{"TwoOpeners", testTwoOpeners},
	}
	if c.Denied {
		tests = append(tests, suiteTest{"Denied", testDenied})
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, c) })
	}
}
