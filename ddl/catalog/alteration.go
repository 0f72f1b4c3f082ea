package catalog

import "slices"

// LostColumns are the columns that a change of a definition drops or gives a type that cannot hold all
// that the old one can, as widens has it.
func LostColumns(before, after Table, widens func(from, to string) bool) []string {
	var lost []string
	for _, b := range before.Columns {
		i := slices.IndexFunc(after.Columns, func(a Column) bool { return a.Name == b.Name })
		if i < 0 || after.Columns[i].Type != b.Type && !widens(b.Type, after.Columns[i].Type) {
			lost = append(lost, b.Name)
		}
	}
	return lost
}

// SamePartitioning compares two definitions of how a table is partitioned.
func SamePartitioning(a, b []Transform) bool {
	return slices.EqualFunc(a, b, func(a, b Transform) bool {
		return a.Transform == b.Transform && slices.Equal(a.Columns, b.Columns) && slices.Equal(a.Args, b.Args)
	})
}
