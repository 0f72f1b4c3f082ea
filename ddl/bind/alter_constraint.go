package bind

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// addConstraintTo is ADD CONSTRAINT. A foreign key is the system's and no part of the shadow.
func (a *alteration) addConstraintTo(cmd *pg_query.AlterTableCmd, i int) error {
	c := cmd.GetDef().GetConstraint()
	switch {
	case c.GetSkipValidation():
		return a.unsupported("NOT VALID", a.commandPosition(i))
	case c.GetIndexname() != "":
		return a.unsupported("a key USING INDEX", a.commandPosition(i))
	case c.GetContype() == pg_query.ConstrType_CONSTR_FOREIGN:
		a.cut = append(a.cut, i)
	}
	if name := c.GetConname(); name != "" && (a.constraintIndex(name) >= 0 || a.isKey(name)) {
		return sqlerr.New(sqlerr.DuplicateObject, `constraint "%s" for relation "%s" already exists`, name, a.target.name.Table)
	}
	if err := a.tableConstraint(c); err != nil {
		return err
	}
	for _, key := range a.table.PrimaryKey {
		a.setNotNull(key)
	}
	return nil
}

func (a *alteration) constraintIndex(name string) int {
	return slices.IndexFunc(a.table.Constraints, func(c catalog.Constraint) bool { return c.Name == name })
}

// isKey tells whether the primary key's constraint has a name.
func (a *alteration) isKey(name string) bool {
	return len(a.table.PrimaryKey) > 0 && a.table.KeyName == name
}

// dropConstraint is DROP CONSTRAINT.
func (a *alteration) dropConstraint(cmd *pg_query.AlterTableCmd, i int) error {
	name := cmd.GetName()
	at := a.constraintIndex(name)
	switch {
	case at >= 0:
		if a.table.Constraints[at].Kind == catalog.ForeignKey {
			a.cut = append(a.cut, i)
		}
		a.table.Constraints = slices.Delete(a.table.Constraints, at, at+1)
	case a.isKey(name):
		a.table.PrimaryKey, a.table.KeyName = nil, ""
	case !cmd.GetMissingOk():
		return sqlerr.New(sqlerr.UndefinedObject, `constraint "%s" of relation "%s" does not exist`, name, a.target.name.Table)
	}
	return nil
}

// keyName is the name that PostgreSQL gives a primary key without one.
func keyName(name catalog.Name) string { return name.Table + "_pkey" }

// constraintColumns are the columns of its own table that a constraint names.
func constraintColumns(c catalog.Constraint) ([]string, error) {
	node, err := constraintNode(c)
	if err != nil {
		return nil, err
	}
	columns := append(stringList(node.GetKeys()), stringList(node.GetFkAttrs())...)
	for _, ref := range columnRefs(node.GetRawExpr()) {
		columns = append(columns, lastPart(ref))
	}
	return columns, nil
}

// constraintNode reads a constraint's text.
func constraintNode(c catalog.Constraint) (*pg_query.Constraint, error) {
	tree, err := pg_query.Parse("ALTER TABLE t ADD " + c.Definition)
	if err != nil || len(tree.GetStmts()) != 1 {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "constraint %s cannot be read", c.Name).WithCause(err)
	}
	cmds := tree.GetStmts()[0].GetStmt().GetAlterTableStmt().GetCmds()
	if len(cmds) != 1 {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "constraint %s cannot be read", c.Name)
	}
	return cmds[0].GetAlterTableCmd().GetDef().GetConstraint(), nil
}
