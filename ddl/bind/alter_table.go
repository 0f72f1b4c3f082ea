package bind

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// alteration is a change of one table. The builder's table is the definition that results.
type alteration struct {
	*tableBuilder
	before  catalog.Table
	spans   []parse.Span // of the commands
	cut     []int        // commands that are none of the shadow's
	rights  bool         // something is changed that only the home database has
	adopted *bool        // managed = full or observed
}

// ownerOnly is a change of nothing that only the owner of a table may ask for.
const ownerOnly = " SET WITHOUT OIDS"

// alterTable: the shadow is changed by the client's own text, the external table towards the definition
// that results.
func (c *compiler) alterTable(s *pg_query.AlterTableStmt) (*plan.Plan, error) {
	a, err := c.newAlteration()
	if err != nil {
		return nil, err
	}
	if a.target.rel == nil {
		return a.absent("ALTER TABLE"), nil // home's error or notice
	}
	if err := a.ready(); err != nil {
		return nil, err
	}
	a.spans = a.commandSpans()
	// Home drops first, whatever the order of the commands.
	for _, drops := range []bool{true, false} {
		for i, node := range s.GetCmds() {
			cmd := node.GetAlterTableCmd()
			if isDrop(cmd) != drops {
				continue
			}
			if err := a.command(cmd, i); err != nil {
				return nil, err
			}
		}
	}
	return a.plan("ALTER TABLE", a.homeText())
}

func isDrop(cmd *pg_query.AlterTableCmd) bool {
	switch cmd.GetSubtype() {
	case pg_query.AlterTableType_AT_DropColumn, pg_query.AlterTableType_AT_DropConstraint:
		return true
	default:
		return false
	}
}

// newAlteration finds the table among the statement's names.
func (c *compiler) newAlteration() (*alteration, error) {
	for _, name := range c.names {
		if name.Kind != parse.RelationName || name.Role != parse.Target {
			continue
		}
		m := c.relation(name)
		if !m.managed {
			return nil, ErrNotManaged
		}
		position := c.position(name.Span)
		if err := c.checkName(m.catalog, m.name, position); err != nil {
			return nil, err
		}
		if err := c.checkLengths(); err != nil {
			return nil, err
		}
		t := &tableBuilder{compiler: c, target: m, position: position, columns: map[string]columnPlace{}}
		t.resource = plan.Resource{Kind: plan.TableKind, Name: m.name, Path: m.name.Path()}
		t.edits = append(t.edits, spliceHome(tableTarget{m, name}))
		a := &alteration{tableBuilder: t}
		if m.rel != nil {
			a.start(m.rel)
		}
		return a, nil
	}
	return nil, ErrNotManaged
}

// start begins with the definition as it is.
func (a *alteration) start(rel *catalog.Relation) {
	a.before = rel.Table
	a.before.Name = a.target.name
	a.table = cloneTable(a.before)
	a.resource.Identity = rel.Identity
	if len(rel.Path) > 0 {
		a.resource.Path = rel.Path
	}
	place := columnPlace{name: a.position, typ: a.position}
	for _, column := range a.before.Columns {
		a.columns[column.Name] = place
	}
	for range a.before.Constraints {
		a.constraints = append(a.constraints, a.position)
	}
}

func cloneTable(t catalog.Table) catalog.Table {
	t.Columns, t.PrimaryKey = slices.Clone(t.Columns), slices.Clone(t.PrimaryKey)
	t.Constraints, t.Options = slices.Clone(t.Constraints), slices.Clone(t.Options)
	t.Partitioning = slices.Clone(t.Partitioning)
	return t
}

// ready refuses a relation that is no table, and one that is still being worked on.
func (a *alteration) ready() error {
	if kind := a.target.rel.Kind; kind != 'r' {
		return ErrNotManaged
	}
	if err := a.unfinished(a.target.rel, a.target.name.String(), false); err != nil {
		return err.At(a.position)
	}
	return nil
}

// absent leaves a table that is not there to home, which has the words for it.
func (a *alteration) absent(tag string) *plan.Plan {
	rw := splice(a.st.Text, a.edits)
	return &plan.Plan{
		Tag: tag, Target: a.target.name.String(), TargetUID: "absent",
		Home: []plan.HomeStatement{{SQL: rw.Text(), Ticket: true, Own: true, Origin: rw}},
	}
}

// command applies one command to the definition.
func (a *alteration) command(cmd *pg_query.AlterTableCmd, i int) error {
	switch cmd.GetSubtype() {
	case pg_query.AlterTableType_AT_AddColumn:
		return a.addOne(cmd, i)
	case pg_query.AlterTableType_AT_DropColumn:
		return a.dropColumn(cmd)
	case pg_query.AlterTableType_AT_AlterColumnType, pg_query.AlterTableType_AT_SetNotNull, pg_query.AlterTableType_AT_DropNotNull,
		pg_query.AlterTableType_AT_ColumnDefault, pg_query.AlterTableType_AT_AddIdentity, pg_query.AlterTableType_AT_DropIdentity:
		return a.alterColumn(cmd, i)
	case pg_query.AlterTableType_AT_AddConstraint:
		return a.addConstraintTo(cmd, i)
	case pg_query.AlterTableType_AT_DropConstraint:
		return a.dropConstraint(cmd, i)
	case pg_query.AlterTableType_AT_SetRelOptions, pg_query.AlterTableType_AT_ResetRelOptions:
		a.cut = append(a.cut, i)
		return a.setOptions(cmd)
	case pg_query.AlterTableType_AT_ChangeOwner:
		a.rights = true
		return nil
	default:
		return a.unsupported("this form of ALTER TABLE", a.commandPosition(i))
	}
}

func (a *alteration) commandPosition(i int) int {
	if i < len(a.spans) {
		return a.st.Position(a.spans[i].Start)
	}
	return a.position
}

// commandSpans are the places of the commands behind the table's name.
func (a *alteration) commandSpans() []parse.Span {
	tokens := a.st.Tokens()
	first := a.afterName()
	var spans []parse.Span
	for i, depth := first, 0; i < len(tokens); i++ {
		switch a.st.Symbol(i) {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				spans = append(spans, parse.Span{Start: tokens[first].Start, End: tokens[i-1].End})
				first = i + 1
			}
		}
	}
	if first < len(tokens) {
		spans = append(spans, parse.Span{Start: tokens[first].Start, End: tokens[len(tokens)-1].End})
	}
	return spans
}

// afterName is the token behind the table's name, and behind the * that may follow it.
func (a *alteration) afterName() int {
	end := 0
	for _, name := range a.names {
		if name.Role == parse.Target {
			end = name.Span.End
			break
		}
	}
	for i, token := range a.st.Tokens() {
		if token.Start >= end && a.st.Symbol(i) != '*' {
			return i
		}
	}
	return len(a.st.Tokens())
}

// homeText is the client's text for the shadow, without the commands that are none of its.
func (a *alteration) homeText() plan.HomeStatement {
	if len(a.cut) > 0 && len(a.cut) == len(a.spans) {
		return plan.HomeStatement{SQL: "ALTER TABLE " + a.target.name.HomeString() + ownerOnly, Ticket: true, Own: true}
	}
	slices.Sort(a.cut)
	a.cutElements(a.cut, a.spans)
	rw := splice(a.st.Text, a.edits)
	return plan.HomeStatement{SQL: rw.Text(), Ticket: true, Own: true, Origin: rw}
}

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
