package bind

import (
	"slices"
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// replaces tells whether the statement leads a table that is there to its definition: CREATE OR REPLACE
// TABLE, and CREATE TABLE where tablewright.mode is apply.
func (t *tableBuilder) replaces() bool {
	return t.compiler.settings.Apply || t.st.Table != nil && t.st.Table.OrReplace
}

// replace leads the table that is there to the definition of the statement.
func (t *tableBuilder) replace(rel *catalog.Relation) (*plan.Plan, error) {
	if rel.Kind != 'r' {
		return t.exists(rel)
	}
	system, err := t.system(t.target.catalog, t.position)
	if err != nil {
		return nil, err
	}
	if err := t.options(system); err != nil {
		return nil, err
	}
	if err := t.elements(); err != nil {
		return nil, err
	}
	if err := t.unfinished(rel, t.target.name.String(), false); err != nil {
		return nil, err.At(t.position)
	}
	a := &alteration{tableBuilder: t}
	a.before = rel.Table
	a.before.Name = t.target.name
	a.resource.Identity, a.resource.Path = rel.Identity, rel.Path
	a.table = likeBefore(a.before, a.table)
	return a.converge(rel)
}

// converge is the plan that makes the table what its definition says, whatever it is by now.
func (a *alteration) converge(rel *catalog.Relation) (*plan.Plan, error) {
	lost, err := a.check()
	if err != nil {
		return nil, err
	}
	allow := a.allowDestructive()
	switch {
	case len(lost) > 0 && !allow:
		return nil, a.destructive(lost)
	case rel.Observed && !sameTable(a.before, a.table):
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, `cannot replace "%s" because it was not made here`, a.target.name).
			WithHint("Use ALTER TABLE %s SET (managed = 'full') first.", a.target.name).At(a.position)
	}
	p := &plan.Plan{
		Tag: "CREATE TABLE", Target: a.target.name.String(), TargetUID: a.identityOrAbsent(), Locks: []string{a.target.name.String()},
		Waits: true, Relation: rel.OID, Notices: a.notices, Settings: a.settings, Shadow: a.shadowChange(),
	}
	statements := shadowStatements(a.target.name, a.before, a.table)
	if len(statements) == 0 {
		// Nothing to do at home but to see that the role may.
		statements = []string{"ALTER TABLE " + a.target.name.HomeString() + ownerOnly}
	}
	for _, sql := range statements {
		p.Home = append(p.Home, plan.HomeStatement{SQL: sql, Ticket: true})
	}
	a.steps(p, lost)
	for i := range p.Steps {
		p.Steps[i].Converge, p.Steps[i].Lossy = true, allow
	}
	p.Unchanged = sameTable(a.before, a.table)
	p.Restore = shadowStatements(a.target.name, a.table, a.before)
	return p, nil
}

// allowDestructive is WITH (allow_destructive = …), or the session's setting.
func (a *alteration) allowDestructive() bool {
	if value, ok := a.settings.Get(allowOption); ok {
		return value == "true"
	}
	return a.compiler.settings.AllowDestructive
}

// destructive lists what the statement would lose.
func (a *alteration) destructive(lost []string) error {
	var lines []string
	for _, name := range lost {
		before := a.before.Columns[columnIndex(a.before, name)]
		if i := columnIndex(a.table, name); i >= 0 {
			lines = append(lines, "column "+catalog.QuoteIdent(name)+" would become "+a.table.Columns[i].Type+", is "+before.Type)
			continue
		}
		lines = append(lines, "column "+catalog.QuoteIdent(name)+" would be dropped")
	}
	return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, `replacing "%s" would lose data`, a.target.name).
		WithDetail("%s", strings.Join(lines, "\n")).
		WithHint("Use WITH (allow_destructive = true) to allow it.").At(a.position)
}

// likeBefore spells a definition as the one that is there is spelt where both mean the same, and keeps
// what a CREATE TABLE cannot say or has left out: comments, options, the order of columns.
func likeBefore(before, after catalog.Table) catalog.Table {
	result := cloneTable(after)
	result.Comment = before.Comment
	result.Columns = nil
	for _, b := range before.Columns {
		if i := columnIndex(after, b.Name); i >= 0 {
			result.Columns = append(result.Columns, likeColumnBefore(b, after.Columns[i]))
		}
	}
	for _, a := range after.Columns {
		if columnIndex(before, a.Name) < 0 {
			result.Columns = append(result.Columns, a)
		}
	}
	result.Constraints = likeConstraintsBefore(before.Constraints, after.Constraints)
	result.Options = cloneTable(before).Options
	for _, o := range after.Options {
		i := slices.IndexFunc(result.Options, func(has catalog.Option) bool { return has.Name == o.Name })
		if i < 0 {
			result.Options = append(result.Options, o)
		} else {
			result.Options[i].Value = o.Value
		}
	}
	return result
}

func likeColumnBefore(before, after catalog.Column) catalog.Column {
	if after.Comment == "" {
		after.Comment = before.Comment
	}
	if after.Default != "" && sameExpression(after.Default, before.Default) {
		after.Default = before.Default
	}
	return after
}

// likeConstraintsBefore keeps the constraints that are there in their order and with their names.
func likeConstraintsBefore(before, after []catalog.Constraint) []catalog.Constraint {
	var kept, added []catalog.Constraint
	used := make([]bool, len(before))
	for _, a := range after {
		i := slices.IndexFunc(before, func(b catalog.Constraint) bool { return sameConstraint(a, b) })
		if i < 0 || used[i] {
			added = append(added, a)
			continue
		}
		used[i] = true
	}
	for i, b := range before {
		if used[i] {
			kept = append(kept, b)
		}
	}
	return append(kept, added...)
}
