package iceberg

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/tablewright/tablewright/ddl/catalog"
)

// change is one difference between what a table is and what it should be. One without any action
// cannot be removed.
type change struct {
	line        string // for Observation.Diff
	destructive bool
	before      func(*table.Transaction) error // runs before the schema changes
	schema      func(*table.UpdateSchema)
	after       func(*table.Transaction) error // runs after the schema has changed
}

func (c change) possible() bool { return c.before != nil || c.schema != nil || c.after != nil }

// diff lists what separates a table from its definition.
func diff(found *table.Table, wanted *definition, t catalog.Table) []change {
	d := &differ{found: found, wanted: wanted, empty: found.CurrentSnapshot() == nil}
	d.formatVersion() // first: version 2 can do what version 1 cannot
	d.columns()
	d.primaryKey(t.PrimaryKey)
	d.partitioning()
	d.sortOrder(t)
	d.properties()
	return d.changes
}

type differ struct {
	found   *table.Table
	wanted  *definition
	empty   bool // it has no data: what would not fit old rows is allowed
	changes []change
}

func (d *differ) add(c change) { d.changes = append(d.changes, c) }

func (d *differ) columns() {
	has := d.found.Schema()
	for _, w := range d.wanted.schema.Fields() {
		f, ok := fieldNamed(has, w.Name)
		if !ok {
			d.missing(w)
			continue
		}
		d.column(f, w)
	}
	for _, f := range has.Fields() {
		if _, ok := fieldNamed(d.wanted.schema, f.Name); !ok {
			d.add(change{
				line: fmt.Sprintf("column %s is not in the definition", catalog.QuoteIdent(f.Name)), destructive: true,
				schema: func(u *table.UpdateSchema) { u.DeleteColumn([]string{f.Name}) },
			})
		}
	}
}

// fieldNamed finds a column; unlike the schema's own look-up it does not take a dot for a path.
func fieldNamed(schema *iceberg.Schema, name string) (iceberg.NestedField, bool) {
	for _, f := range schema.Fields() {
		if f.Name == name {
			return f, true
		}
	}
	return iceberg.NestedField{}, false
}

func (d *differ) missing(w iceberg.NestedField) {
	c := change{line: fmt.Sprintf("column %s is missing", catalog.QuoteIdent(w.Name))}
	if !w.Required || d.empty {
		c.schema = func(u *table.UpdateSchema) { u.AddColumn([]string{w.Name}, w.Type, w.Doc, w.Required, nil) }
	} else {
		c.line += ", and not null cannot be promised for the rows that are there"
	}
	d.add(c)
}

func (d *differ) column(f, w iceberg.NestedField) {
	label := "column " + catalog.QuoteIdent(w.Name)
	update := func(u table.ColumnUpdate) func(*table.UpdateSchema) {
		return func(s *table.UpdateSchema) { s.UpdateColumn([]string{w.Name}, u) }
	}
	if !sameType(f.Type, w.Type) {
		c := change{line: fmt.Sprintf("%s: type %s, wanted %s", label, postgresType(f.Type), postgresType(w.Type))}
		if widens(f.Type, w.Type) {
			c.schema = update(table.ColumnUpdate{FieldType: optional(w.Type)})
		} else {
			c.destructive = true
		}
		d.add(c)
	}
	switch {
	case f.Required && !w.Required:
		d.add(change{line: label + ": not null, wanted nullable", schema: update(table.ColumnUpdate{Required: optional(false)})})
	case !f.Required && w.Required && d.empty:
		d.add(change{line: label + ": nullable, wanted not null", schema: update(table.ColumnUpdate{Required: optional(true)})})
	case !f.Required && w.Required:
		d.add(change{line: label + ": nullable, wanted not null, which cannot be promised for the rows that are there"})
	}
	if f.Doc != w.Doc {
		d.add(change{
			line:   fmt.Sprintf("%s: comment %q, wanted %q", label, f.Doc, w.Doc),
			schema: update(table.ColumnUpdate{Doc: optional(w.Doc)}),
		})
	}
}

func optional[T any](v T) iceberg.Optional[T] { return iceberg.Optional[T]{Val: v, Valid: true} }

func (d *differ) primaryKey(wanted []string) {
	has := foundKey(d.found.Schema())
	want := foundKey(d.wanted.schema)
	if slices.Equal(has, want) {
		return
	}
	paths := make([][]string, len(want))
	for i, name := range want {
		paths[i] = []string{name}
	}
	d.add(change{
		line:   fmt.Sprintf("primary key (%s), wanted (%s)", strings.Join(has, ", "), strings.Join(wanted, ", ")),
		schema: func(u *table.UpdateSchema) { u.SetIdentifierField(paths) },
	})
}

// partitioning is changed for new data only; old files keep the one they were written with.
func (d *differ) partitioning() {
	spec := d.found.Spec()
	has := withoutVoid(foundPartitioning(d.found.Schema(), spec))
	want := withoutVoid(d.wanted.transforms)
	if slices.Equal(has, want) {
		return
	}
	d.add(change{
		line: fmt.Sprintf("partitioning: %s, wanted %s", orNone(has), orNone(want)),
		before: func(txn *table.Transaction) error {
			staged, err := txn.StagedTable()
			if err != nil {
				return err
			}
			u := txn.UpdateSpec(true)
			for _, f := range spec.Fields() {
				_, void := f.Transform.(iceberg.VoidTransform)
				if !void || staged.Metadata().Version() > 1 {
					u.RemoveField(f.Name)
				}
			}
			return u.Commit()
		},
		after: func(txn *table.Transaction) error {
			u := txn.UpdateSpec(true)
			for _, t := range d.wanted.transforms {
				transform, err := parseTransform(t)
				if err != nil {
					return err
				}
				u.AddField(t.Columns[0], transform, "")
			}
			return u.Commit()
		},
	})
}

// withoutVoid writes transforms as text, without those that partition nothing: version 1 of the format
// keeps removed ones in that form.
func withoutVoid(list []catalog.Transform) []string {
	var texts []string
	for _, t := range list {
		transform, err := parseTransform(t)
		if err != nil {
			texts = append(texts, transformText(t))
			continue
		}
		if _, void := transform.(iceberg.VoidTransform); void {
			continue
		}
		texts = append(texts, transformText(foundTransform(transform, t.Columns[0])))
	}
	return texts
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func (d *differ) sortOrder(t catalog.Table) {
	has, want := sortText(d.found.Schema(), d.found.SortOrder()), sortText(d.wanted.schema, d.wanted.order)
	if has == want {
		return
	}
	c := change{line: fmt.Sprintf("sort order: %s, wanted %s", orNone(splitList(has)), orNone(splitList(want)))}
	// The old order goes before its columns do, the new one comes after its columns have.
	c.before = func(txn *table.Transaction) error { return txn.ReplaceSortOrder(table.UnsortedSortOrder) }
	c.after = func(txn *table.Transaction) error {
		staged, err := txn.StagedTable()
		if err != nil {
			return err
		}
		order, err := buildSortOrder(staged.Schema(), t)
		if err != nil {
			return err
		}
		return txn.ReplaceSortOrder(order)
	}
	d.add(c)
}

func (d *differ) formatVersion() {
	has := d.found.Metadata().Version()
	want, err := strconv.Atoi(d.wanted.version)
	if err != nil || has >= want {
		return // a newer one does all that an older one does; there is no way back
	}
	d.add(change{
		line:   fmt.Sprintf("format version %d, wanted %d", has, want),
		before: func(txn *table.Transaction) error { return txn.UpgradeFormatVersion(want) },
	})
}

func (d *differ) properties() {
	has := d.found.Properties()
	for _, key := range sortedKeys(d.wanted.properties) {
		want := d.wanted.properties[key]
		if value, ok := has[key]; !ok || value != want {
			d.add(change{
				line:  fmt.Sprintf("property %s: %q, wanted %q", key, value, want),
				after: func(txn *table.Transaction) error { return txn.SetProperties(iceberg.Properties{key: want}) },
			})
		}
	}
	for _, key := range sortedKeys(has) {
		_, wanted := d.wanted.properties[key]
		if wanted || !propertyOption(key) && key != propComment && key != propPurge {
			continue
		}
		d.add(change{
			line:  fmt.Sprintf("property %s: %q, wanted none", key, has[key]),
			after: func(txn *table.Transaction) error { return txn.RemoveProperties([]string{key}) },
		})
	}
}

func sortedKeys(p iceberg.Properties) []string { return slices.Sorted(maps.Keys(p)) }
