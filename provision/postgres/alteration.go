package postgres

import (
	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/provision"
)

// Alteration tells which columns a change of a definition would lose. A table cannot be partitioned, or
// unpartitioned, in place.
func (*Opener) Alteration(before, after catalog.Table) ([]string, error) {
	if !catalog.SamePartitioning(before.Partitioning, after.Partitioning) {
		return nil, provision.Error(provision.Unsupported, "the partitioning of a table cannot be changed")
	}
	return catalog.LostColumns(before, after, widens), nil
}
