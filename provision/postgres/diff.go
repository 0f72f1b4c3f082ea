package postgres

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
)

// change is one difference between what a table is and what it should be.
type change struct {
	line        string   // for Observation.Diff
	first       []string // of all changes these statements run first: constraints that stand in the way
	statements  []string // that remove the difference; none, and none first, when it cannot be removed
	destructive bool
}

func (c change) possible() bool { return len(c.first)+len(c.statements) > 0 }

// sameExpression tells whether two expressions of a type mean the same; from is a FROM clause for the
// columns they name, or empty.
type sameExpression func(a, b, typ, from string) bool

// diff lists what separates found from wanted, in the order in which it is to be removed.
func diff(n name, found *relation, wanted catalog.Table, same sameExpression) []change {
	if found.kind != "r" && found.kind != "p" {
		return []change{{line: fmt.Sprintf("it is a %s, not a table", kindName(found.kind)), destructive: true}}
	}
	d := differ{name: n, found: found, wanted: wanted, same: same}
	d.keyColumns()
	d.columns()
	d.primaryKey()
	d.constraints()
	d.partitioning()
	d.options()
	if found.comment != wanted.Comment {
		d.add(fmt.Sprintf("comment: %q, wanted %q", found.comment, wanted.Comment), commentOnTable(n, wanted.Comment))
	}
	return d.changes
}

type differ struct {
	name    name
	found   *relation
	wanted  catalog.Table
	same    sameExpression
	changes []change
}

func (d *differ) add(line string, statements ...string) {
	d.changes = append(d.changes, change{line: line, statements: statements})
}

func (d *differ) destroy(line string, statements ...string) {
	d.changes = append(d.changes, change{line: line, statements: statements, destructive: true})
}

func (d *differ) alter(format string, args ...any) string {
	return "ALTER TABLE " + d.name.sql() + " " + fmt.Sprintf(format, args...)
}

func (d *differ) dropConstraint(name string) string {
	return d.alter("DROP CONSTRAINT %s RESTRICT", ident(name))
}

// keyColumns makes explicit that identity and key columns are NOT NULL, as PostgreSQL does.
func (d *differ) keyColumns() {
	columns := slices.Clone(d.wanted.Columns)
	for i := range columns {
		if columns[i].Identity != "" || slices.Contains(d.wanted.PrimaryKey, columns[i].Name) {
			columns[i].NotNull = true
		}
	}
	d.wanted.Columns = columns
}

func (d *differ) columns() {
	for _, w := range d.wanted.Columns {
		i := slices.IndexFunc(d.found.columns, func(f column) bool { return f.Name == w.Name })
		if i < 0 {
			statements := []string{d.alter("ADD COLUMN %s", columnDefinition(w))}
			if w.Comment != "" {
				statements = append(statements, commentOnColumn(d.name, w.Name, w.Comment))
			}
			d.add(fmt.Sprintf("column %s is missing", catalog.QuoteIdent(w.Name)), statements...)
			continue
		}
		d.column(d.found.columns[i], w)
	}
	for _, f := range d.found.columns {
		if !slices.ContainsFunc(d.wanted.Columns, func(w catalog.Column) bool { return w.Name == f.Name }) {
			d.destroy(fmt.Sprintf("column %s is not in the definition", catalog.QuoteIdent(f.Name)),
				d.alter("DROP COLUMN %s RESTRICT", ident(f.Name)))
		}
	}
}

func (d *differ) column(f column, w catalog.Column) {
	label := "column " + catalog.QuoteIdent(w.Name)
	d.columnType(label, f, w)
	d.columnIdentity(label, f, w)
	d.columnDefault(label, f, w)
	switch {
	case w.NotNull && !f.NotNull:
		d.add(label+": nullable, wanted not null", d.alter("ALTER COLUMN %s SET NOT NULL", ident(w.Name)))
	case !w.NotNull && f.NotNull:
		d.add(label+": not null, wanted nullable", d.alter("ALTER COLUMN %s DROP NOT NULL", ident(w.Name)))
	}
	if f.Comment != w.Comment {
		d.add(fmt.Sprintf("%s: comment %q, wanted %q", label, f.Comment, w.Comment), commentOnColumn(d.name, w.Name, w.Comment))
	}
}

func (d *differ) columnType(label string, f column, w catalog.Column) {
	if f.Type == w.Type {
		return
	}
	line := fmt.Sprintf("%s: type %s, wanted %s", label, f.Type, w.Type)
	alter := d.alter("ALTER COLUMN %s TYPE %s USING %s::%s", ident(w.Name), w.Type, ident(w.Name), w.Type)
	switch {
	case widens(f.Type, w.Type):
		d.add(line, alter)
	case f.Default == "" || f.Generated:
		d.destroy(line, alter)
	default:
		// The default may have no meaning in the new type.
		statements := []string{d.alter("ALTER COLUMN %s DROP DEFAULT", ident(w.Name)), alter}
		if w.Default != "" {
			statements = append(statements, d.alter("ALTER COLUMN %s SET DEFAULT %s", ident(w.Name), w.Default))
		}
		d.destroy(line, statements...)
	}
}

func (d *differ) columnIdentity(label string, f column, w catalog.Column) {
	has := identityWords(f.Identity)
	switch {
	case has == w.Identity:
	case has == "":
		d.add(label+": no identity, wanted "+w.Identity,
			d.alter("ALTER COLUMN %s SET NOT NULL", ident(w.Name)),
			d.alter("ALTER COLUMN %s ADD GENERATED %s AS IDENTITY", ident(w.Name), w.Identity))
	case w.Identity == "":
		d.add(label+": identity "+has+", wanted none", d.alter("ALTER COLUMN %s DROP IDENTITY", ident(w.Name)))
	default:
		d.add(label+": identity "+has+", wanted "+w.Identity, d.alter("ALTER COLUMN %s SET GENERATED %s", ident(w.Name), w.Identity))
	}
}

func (d *differ) columnDefault(label string, f column, w catalog.Column) {
	switch {
	case f.Generated:
		d.destroy(label + " is a generated one")
	case w.Default == "" && f.Default == "":
	case w.Default == "":
		d.add(fmt.Sprintf("%s: default %s, wanted none", label, f.Default), d.alter("ALTER COLUMN %s DROP DEFAULT", ident(w.Name)))
	case f.Default == "" || !sameText(f.Default, w.Default) && !d.same(f.Default, w.Default, w.Type, ""):
		d.add(fmt.Sprintf("%s: default %s, wanted %s", label, orNone(f.Default), w.Default),
			d.alter("ALTER COLUMN %s SET DEFAULT %s", ident(w.Name), w.Default))
	}
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func (d *differ) primaryKey() {
	var name string
	var columns []string
	for _, c := range d.found.constraints {
		if c.Kind == "p" {
			name, columns = c.Name, c.Columns
		}
	}
	if slices.Equal(columns, d.wanted.PrimaryKey) {
		return
	}
	line := fmt.Sprintf("primary key (%s), wanted (%s)", strings.Join(columns, ", "), strings.Join(d.wanted.PrimaryKey, ", "))
	c := change{line: line}
	if name != "" {
		c.first = []string{d.dropConstraint(name)}
	}
	if len(d.wanted.PrimaryKey) > 0 {
		c.statements = []string{d.alter("ADD PRIMARY KEY (%s)", idents(d.wanted.PrimaryKey))}
	}
	d.changes = append(d.changes, c)
}

func (d *differ) constraints() {
	kept := make(map[string]bool)
	for _, w := range d.wanted.Constraints {
		match := d.matching(w, kept)
		if match == nil {
			d.add(fmt.Sprintf("constraint %s is missing", w.Definition), d.alter("ADD %s", constraintDefinition(w)))
			continue
		}
		kept[match.Name] = true
		if !d.sameConstraint(*match, w) {
			d.changes = append(d.changes, change{
				line:       fmt.Sprintf("constraint %s: %s, wanted %s", catalog.QuoteIdent(match.Name), match.Definition, w.Definition),
				first:      []string{d.dropConstraint(match.Name)},
				statements: []string{d.alter("ADD %s", constraintDefinition(w))},
			})
		}
	}
	for _, f := range d.found.constraints {
		if f.Kind != "p" && !kept[f.Name] {
			d.changes = append(d.changes, change{
				line:  fmt.Sprintf("constraint %s is not in the definition", catalog.QuoteIdent(f.Name)),
				first: []string{d.dropConstraint(f.Name)},
			})
		}
	}
}

// matching finds the constraint of the wanted one's name, or, when it has none, one that means the same.
func (d *differ) matching(w catalog.Constraint, kept map[string]bool) *constraint {
	for i, f := range d.found.constraints {
		if f.Kind == "p" || kept[f.Name] {
			continue
		}
		if w.Name == f.Name || w.Name == "" && constraintKind(f.Kind) == w.Kind && d.sameConstraint(f, w) {
			return &d.found.constraints[i]
		}
	}
	return nil
}

func (d *differ) sameConstraint(f constraint, w catalog.Constraint) bool {
	if sameText(unparen(f.Definition), unparen(w.Definition)) {
		return true
	}
	switch w.Kind {
	case catalog.Check:
		a, okA := checkExpression(f.Definition)
		b, okB := checkExpression(w.Definition)
		return okA && okB && d.same(a, b, "boolean", " FROM "+d.name.sql())
	case catalog.ForeignKey:
		// The columns of the other table may be left out where they are its key.
		prefix := simplify(w.Definition)
		return strings.HasPrefix(simplify(f.Definition), prefix+"(")
	default:
		return false
	}
}

// checkExpression is what stands in the parentheses of CHECK (…).
func checkExpression(definition string) (string, bool) {
	const keyword = "CHECK"
	if len(definition) < len(keyword) || !strings.EqualFold(definition[:len(keyword)], keyword) {
		return "", false
	}
	expr := strings.TrimSpace(definition[len(keyword):])
	return expr, outerParens(expr)
}

// unparen drops the second pair of parentheses that pg_get_constraintdef puts around a check.
func unparen(definition string) string {
	expr, ok := checkExpression(definition)
	if !ok {
		return definition
	}
	return "CHECK(" + simplify(expr) + ")"
}

func (d *differ) partitioning() {
	found, wanted := partitionText(parsePartKey(d.found.partKey)), partitionText(d.wanted.Partitioning)
	if found != wanted {
		d.destroy(fmt.Sprintf("partitioning: %s, wanted %s", orNone(found), orNone(wanted)))
	}
}

func partitionText(transforms []catalog.Transform) string {
	if len(transforms) == 0 {
		return ""
	}
	return strings.ToLower(transforms[0].Transform) + " (" + idents(transforms[0].Columns) + ")"
}

func (d *differ) options() {
	found := make(map[string]string)
	for _, o := range d.found.options {
		key, value, _ := strings.Cut(o, "=")
		found[key] = value
	}
	for _, w := range d.wanted.Options {
		value, ok := found[w.Name]
		delete(found, w.Name)
		if !ok || !strings.EqualFold(value, w.Value) {
			d.add(fmt.Sprintf("option %s: %s, wanted %s", w.Name, orNone(value), w.Value),
				d.alter("SET (%s = %s)", w.Name, w.Value))
		}
	}
	for _, spec := range tableOptions() {
		if value, ok := found[spec.Name]; ok {
			d.add(fmt.Sprintf("option %s: %s, wanted none", spec.Name, value), d.alter("RESET (%s)", spec.Name))
		}
	}
}
