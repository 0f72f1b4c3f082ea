package bind

import (
	"slices"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// plan asks the system what the change would lose, and parts it there: what loses nothing is done first
// and can be undone.
func (a *alteration) plan(tag string, home plan.HomeStatement) (*plan.Plan, error) {
	full := a.target.name.String()
	p := &plan.Plan{
		Tag: tag, Target: full, TargetUID: a.identityOrAbsent(), Locks: []string{full}, Relation: a.target.rel.OID,
		Home: []plan.HomeStatement{home}, Notices: a.notices, Settings: a.settings,
	}
	p.Shadow = a.shadowChange()
	if sameTable(a.before, a.table) {
		return p, nil
	}
	lost, err := a.check()
	if err != nil {
		return nil, err
	}
	a.steps(p, lost)
	p.Restore = shadowStatements(a.target.name, a.table, a.before)
	return p, nil
}

// identityOrAbsent is the identity of the table, for the job's record.
func (a *alteration) identityOrAbsent() string {
	if a.resource.Identity == "" {
		return "absent"
	}
	return a.resource.Identity
}

// check validates the definition that results, and tells which columns it would lose.
func (a *alteration) check() ([]string, error) {
	system, err := a.system(a.target.catalog, a.position)
	if err != nil {
		return nil, err
	}
	r := a.resource
	r.Table = a.table
	if err := system.Check(a.target.catalog, r); err != nil {
		return nil, a.placed(sqlerr.From(err))
	}
	lost, err := system.Alteration(a.before, a.table)
	if err != nil {
		return nil, a.placed(sqlerr.From(err))
	}
	if len(lost) > 0 && a.target.rel.Observed {
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, `cannot drop or narrow columns of "%s" because it was not made here`, a.target.name).
			WithHint("Use ALTER TABLE %s SET (managed = 'full') first.", a.target.name).At(a.position)
	}
	return lost, nil
}

// steps parts the change at the point of no return. One that is a job is one step.
func (a *alteration) steps(p *plan.Plan, lost []string) {
	id := "alter table " + p.Target
	between := keepColumns(a.before, a.table, lost)
	if len(lost) == 0 || path(a.target.catalog) == plan.Slow {
		p.Steps = []plan.Step{a.step(id, a.before, a.table, len(lost) > 0)}
		return
	}
	if !sameTable(a.before, between) {
		p.Steps = append(p.Steps, a.step(id, a.before, between, false))
	}
	final := a.step(id+", columns", between, a.table, true)
	for _, s := range p.Steps {
		final.DependsOn = append(final.DependsOn, s.ID)
	}
	p.Steps = append(p.Steps, final)
}

func (a *alteration) step(id string, from, to catalog.Table, destructive bool) plan.Step {
	r := a.resource
	r.Table = to
	return plan.Step{
		ID: id, Action: plan.Alter, Catalog: a.target.catalog, Target: r, Before: &from,
		Destructive: destructive, Path: path(a.target.catalog),
	}
}

// keepColumns is the definition after with the columns of before that it loses as they are.
func keepColumns(before, after catalog.Table, lost []string) catalog.Table {
	between := cloneTable(after)
	between.Columns = nil
	for _, b := range before.Columns {
		kept := b
		if i := columnIndex(after, b.Name); i >= 0 {
			kept = after.Columns[i]
			if slices.Contains(lost, b.Name) {
				kept.Type, kept.Default = b.Type, b.Default
			}
		}
		between.Columns = append(between.Columns, kept)
	}
	for _, a := range after.Columns {
		if columnIndex(before, a.Name) < 0 {
			between.Columns = append(between.Columns, a)
		}
	}
	return between
}

func columnIndex(t catalog.Table, name string) int {
	return slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return c.Name == name })
}

// sameTable compares two definitions of one table.
func sameTable(a, b catalog.Table) bool {
	return slices.Equal(a.Columns, b.Columns) && slices.Equal(a.PrimaryKey, b.PrimaryKey) &&
		slices.Equal(a.Constraints, b.Constraints) && sameOptions(a.Options, b.Options) &&
		catalog.SamePartitioning(a.Partitioning, b.Partitioning) && a.Comment == b.Comment
}

func sameOptions(a, b catalog.Options) bool {
	return slices.EqualFunc(a, b, func(a, b catalog.Option) bool { return a.Name == b.Name && a.Value == b.Value })
}

// shadowChange is what the registry must know beside the shadow itself.
func (a *alteration) shadowChange() *plan.ShadowChange {
	change := &plan.ShadowChange{Relation: a.target.name.HomeString(), Managed: a.adopted}
	if !sameOptions(a.before.Options, a.table.Options) {
		change.Options = &a.table.Options
	}
	if before, after := a.before.ForeignKeys(), a.table.ForeignKeys(); !slices.Equal(before, after) {
		change.ForeignKeys = &after
	}
	return change
}
