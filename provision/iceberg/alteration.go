package iceberg

import (
	"slices"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/provision"
)

// Alteration tells which columns a change of a definition would lose. A type can only be widened, and a
// default cannot be given to rows that are there.
func (*Opener) Alteration(before, after catalog.Table) ([]string, error) {
	for _, a := range after.Columns {
		i := slices.IndexFunc(before.Columns, func(b catalog.Column) bool { return b.Name == a.Name })
		if i >= 0 && a.Type != before.Columns[i].Type && !widensText(before.Columns[i].Type, a.Type) {
			e := provision.Error(provision.Unsupported, "column %q cannot be changed from type %s to %s", a.Name, before.Columns[i].Type, a.Type).
				WithHint("Iceberg widens integer to bigint, real to double precision and the precision of numeric.")
			e.Column = a.Name
			return nil, e
		}
	}
	return catalog.LostColumns(before, after, widensText), nil
}

// widensText is widens for types as they are written. Types that are stored alike are alike.
func widensText(from, to string) bool {
	id := func() int { return 0 }
	a, errA := icebergType("", from, id)
	b, errB := icebergType("", to, id)
	return errA == nil && errB == nil && (a.Equals(b) || widens(a, b))
}
