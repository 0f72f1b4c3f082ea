package bind

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
)

// alteration is a change of one table. The builder's table is the definition that results.
type alteration struct {
	*tableBuilder
	before  catalog.Table
	spans   []parse.Span // of the commands
	cut     []int        // commands that are none of the shadow's
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
		t.cutOnly(name)
		a := &alteration{tableBuilder: t}
		if m.rel != nil {
			a.start(m.rel)
		}
		return a, nil
	}
	return nil, ErrNotManaged
}

// cutOnly takes ONLY away from before the table's name: the wall that home has below a shadow is no table of
// the client's.
func (t *tableBuilder) cutOnly(name parse.Name) {
	for i, token := range t.st.Tokens() {
		if token.End <= name.Span.Start && t.st.Word(i) == "only" {
			t.edits = append(t.edits, cutBlank(t.st.Text, parse.Span{Start: token.Start, End: token.End}))
		}
	}
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
		return nil // a right, which only the home database has
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
