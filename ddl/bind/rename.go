package bind

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// rename gives a table, or a column or constraint of it, another name.
func (c *compiler) rename(s *pg_query.RenameStmt) (*plan.Plan, error) {
	a, err := c.newAlteration()
	if err != nil {
		return nil, err
	}
	if a.target.rel == nil {
		return a.absent("ALTER TABLE"), nil
	}
	if err := a.ready(); err != nil {
		return nil, err
	}
	if err := checkLength(s.GetNewname(), a.position); err != nil {
		return nil, err
	}
	switch s.GetRenameType() {
	case pg_query.ObjectType_OBJECT_TABLE:
		return a.renameTable(s.GetNewname())
	case pg_query.ObjectType_OBJECT_COLUMN:
		return a.renameColumn(s.GetSubname(), s.GetNewname())
	case pg_query.ObjectType_OBJECT_TABCONSTRAINT:
		return a.renameConstraint(s.GetSubname(), s.GetNewname())
	default:
		return nil, a.unsupported("this form of RENAME", a.position)
	}
}

// renameTable: a table whose external name was given by WITH (name = …) keeps it.
func (a *alteration) renameTable(newName string) (*plan.Plan, error) {
	home := a.homeText()
	renamed := a.target.name
	renamed.Table = newName
	if a.at(renamed.HomeSchema(), newName) != nil {
		return nil, sqlerr.New(sqlerr.DuplicateTable, `relation "%s" already exists`, newName)
	}
	p := &plan.Plan{
		Tag: "ALTER TABLE", Target: a.target.name.String(), TargetUID: a.identityOrAbsent(), Relation: a.target.rel.OID,
		Locks: []string{a.target.name.String(), renamed.String()}, Home: []plan.HomeStatement{home},
	}
	slices.Sort(p.Locks)
	p.Shadow, p.Made = &plan.ShadowChange{Relation: renamed.HomeString()}, []catalog.Name{renamed}
	last := len(a.resource.Path) - 1
	if a.resource.Path[last] != a.target.name.Table {
		return p, nil
	}
	change := func(key *pg_query.Constraint) { key.GetPktable().Relname = newName }
	if err := a.renameOwnReferences(change); err != nil {
		return nil, err
	}
	if err := a.renameReferences(p, change); err != nil {
		return nil, err
	}
	p.Shadow.ForeignKeys = a.shadowChange().ForeignKeys
	step := a.step("rename table "+p.Target, a.before, a.table, false)
	step.Target.NewPath = slices.Clone(a.resource.Path)
	step.Target.NewPath[last] = newName
	p.Shadow.Path = step.Target.NewPath
	p.Steps = []plan.Step{step}
	p.Restore = []string{"ALTER TABLE " + renamed.HomeString() + " RENAME TO " + catalog.QuoteIdent(a.target.name.Table)}
	p.RestorePath = a.resource.Path
	return p, nil
}

func (a *alteration) renameColumn(from, to string) (*plan.Plan, error) {
	i := columnIndex(a.table, from)
	switch {
	case i < 0:
		return nil, sqlerr.New(sqlerr.UndefinedColumn, `column "%s" does not exist`, from)
	case from != to && columnIndex(a.table, to) >= 0:
		return nil, sqlerr.New(sqlerr.DuplicateColumn, `column "%s" of relation "%s" already exists`, to, a.target.name.Table)
	}
	a.table.Columns[i].Name = to
	for i, key := range a.table.PrimaryKey {
		if key == from {
			a.table.PrimaryKey[i] = to
		}
	}
	for i := range a.table.Partitioning {
		a.table.Partitioning[i].Columns = replaced(a.table.Partitioning[i].Columns, from, to)
	}
	for i, c := range a.table.Constraints {
		definition, err := renameInConstraint(c, from, to)
		if err != nil {
			return nil, sqlerr.From(err).At(a.position)
		}
		a.table.Constraints[i].Definition = definition
	}
	change := func(key *pg_query.Constraint) {
		for _, n := range key.GetPkAttrs() {
			renameString(n, from, to)
		}
	}
	if err := a.renameOwnReferences(change); err != nil {
		return nil, err
	}
	p, err := a.plan("ALTER TABLE", a.homeText())
	if err != nil || len(p.Steps) == 0 {
		return p, err
	}
	if err := a.renameReferences(p, change); err != nil {
		return nil, err
	}
	step := a.step("rename column of table "+p.Target, a.before, a.table, false)
	step.Target.Renames = []plan.Rename{{From: from, To: to}}
	p.Steps = []plan.Step{step}
	p.Restore = []string{"ALTER TABLE " + a.target.name.HomeString() + " RENAME COLUMN " + catalog.QuoteIdent(to) + " TO " + catalog.QuoteIdent(from)}
	return p, nil
}

func replaced(names []string, from, to string) []string {
	names = slices.Clone(names)
	for i := range names {
		if names[i] == from {
			names[i] = to
		}
	}
	return names
}

// renameInConstraint is a constraint's text with another name of a column.
func renameInConstraint(c catalog.Constraint, from, to string) (string, error) {
	columns, err := constraintColumns(c)
	if err != nil || !slices.Contains(columns, from) {
		return c.Definition, err
	}
	node, err := constraintNode(c)
	if err != nil {
		return "", err
	}
	for _, n := range append(node.GetKeys(), node.GetFkAttrs()...) {
		renameString(n, from, to)
	}
	for _, ref := range columnRefs(node.GetRawExpr()) {
		renameString(ref.GetFields()[len(ref.GetFields())-1], from, to)
	}
	return constraintText(node)
}

// renameString gives a node that is a name another one, if it is that name.
func renameString(n *pg_query.Node, from, to string) {
	if s := n.GetString_(); s.GetSval() == from {
		s.Sval = to
	}
}

// constraintText writes a constraint out, from its keyword on.
func constraintText(node *pg_query.Constraint) (string, error) {
	node.Conname = ""
	cmd := &pg_query.AlterTableCmd{
		Subtype: pg_query.AlterTableType_AT_AddConstraint, Behavior: pg_query.DropBehavior_DROP_RESTRICT,
		Def: &pg_query.Node{Node: &pg_query.Node_Constraint{Constraint: node}},
	}
	alter := &pg_query.AlterTableStmt{
		Relation: &pg_query.RangeVar{Relname: "t", Inh: true, Relpersistence: "p"}, Objtype: pg_query.ObjectType_OBJECT_TABLE,
		Cmds: []*pg_query.Node{{Node: &pg_query.Node_AlterTableCmd{AlterTableCmd: cmd}}},
	}
	text, err := pg_query.Deparse(&pg_query.ParseResult{
		Version: treeVersion(),
		Stmts:   []*pg_query.RawStmt{{Stmt: &pg_query.Node{Node: &pg_query.Node_AlterTableStmt{AlterTableStmt: alter}}}},
	})
	const prefix = "ALTER TABLE t ADD "
	if err != nil || len(text) < len(prefix) || text[:len(prefix)] != prefix {
		return "", sqlerr.New(sqlerr.FeatureNotSupported, "the constraint cannot be written out").WithCause(err)
	}
	return text[len(prefix):], nil
}

func (a *alteration) renameConstraint(from, to string) (*plan.Plan, error) {
	i := a.constraintIndex(from)
	switch {
	case i < 0 && !a.isKey(from):
		return nil, sqlerr.New(sqlerr.UndefinedObject, `constraint "%s" for table "%s" does not exist`, from, a.target.name.Table)
	case i >= 0 && a.table.Constraints[i].Kind == catalog.ForeignKey:
		return nil, a.unsupported("RENAME CONSTRAINT of a foreign key", a.position)
	case a.constraintIndex(to) >= 0, a.isKey(to):
		return nil, sqlerr.New(sqlerr.DuplicateObject, `constraint "%s" for relation "%s" already exists`, to, a.target.name.Table)
	}
	if i >= 0 {
		a.table.Constraints[i].Name = to
	} else {
		a.table.KeyName = to // of the shadow; the system has its own
	}
	return a.plan("ALTER TABLE", a.homeText())
}
