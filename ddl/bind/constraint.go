package bind

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

func (t *tableBuilder) tableConstraint(c *pg_query.Constraint) error {
	position := t.st.Position(int(c.GetLocation()))
	when := timing{deferrable: c.GetDeferrable(), deferred: c.GetInitdeferred()}
	switch c.GetContype() {
	case pg_query.ConstrType_CONSTR_PRIMARY:
		return t.primaryKey(c, stringList(c.GetKeys()), when, position)
	case pg_query.ConstrType_CONSTR_UNIQUE:
		return t.unique(c, stringList(c.GetKeys()), when, position)
	case pg_query.ConstrType_CONSTR_CHECK:
		return t.check(c, position)
	case pg_query.ConstrType_CONSTR_FOREIGN:
		return t.foreignKey(c, stringList(c.GetFkAttrs()), when, position)
	case pg_query.ConstrType_CONSTR_EXCLUSION:
		return t.unsupported("EXCLUDE", position)
	default:
		return t.unsupported("this constraint", position)
	}
}

func stringList(nodes []*pg_query.Node) []string {
	list := make([]string, len(nodes))
	for i, node := range nodes {
		list[i] = node.GetString_().GetSval()
	}
	return list
}

func (t *tableBuilder) addConstraint(constraint catalog.Constraint, position int) {
	t.table.Constraints = append(t.table.Constraints, constraint)
	t.constraints = append(t.constraints, position)
}

// indexClauses refuses what only PostgreSQL's own indexes have.
func (t *tableBuilder) indexClauses(c *pg_query.Constraint, position int) error {
	switch {
	case len(c.GetIncluding()) > 0:
		return t.unsupported("INCLUDE of a key", position)
	case len(c.GetOptions()) > 0, c.GetIndexspace() != "", c.GetIndexname() != "":
		return t.unsupported("a key with options of its index", position)
	}
	return nil
}

func (t *tableBuilder) primaryKey(c *pg_query.Constraint, columns []string, when timing, position int) error {
	if err := t.indexClauses(c, position); err != nil {
		return err
	}
	if when.deferrable {
		return t.unsupported("a deferrable primary key", position)
	}
	return t.setKey(c.GetConname(), columns, position)
}

// setKey makes columns the primary key. Without a name it gets PostgreSQL's.
func (t *tableBuilder) setKey(name string, columns []string, position int) error {
	if len(t.table.PrimaryKey) > 0 {
		return sqlerr.New(sqlerr.InvalidTableDefinition, `multiple primary keys for table "%s" are not allowed`,
			t.target.name.Table).At(position)
	}
	if err := t.knownColumns(columns, position); err != nil {
		return err
	}
	if name == "" {
		name = keyName(t.target.name)
	}
	t.table.PrimaryKey, t.table.KeyName = columns, name
	return nil
}

// knownColumns: as in PostgreSQL a key may name columns that stand after it.
func (t *tableBuilder) knownColumns(columns []string, position int) error {
	for i, column := range columns {
		if slices.Contains(columns[:i], column) {
			return sqlerr.New(sqlerr.DuplicateColumn, `column "%s" appears twice in a key`, column).At(position)
		}
		if !t.hasColumn(column) {
			return sqlerr.New(sqlerr.UndefinedColumn, `column "%s" named in key does not exist`, column).At(position)
		}
	}
	return nil
}

func (t *tableBuilder) hasColumn(name string) bool {
	if _, ok := t.columns[name]; ok {
		return true
	}
	for _, node := range t.stmt.GetTableElts() {
		if def := node.GetColumnDef(); def != nil && def.GetColname() == name {
			return true
		}
		// What LIKE brings is known when it is read; home judges a key that stands before it.
		if node.GetTableLikeClause() != nil {
			return true
		}
	}
	return false
}

func (t *tableBuilder) unique(c *pg_query.Constraint, columns []string, when timing, position int) error {
	if err := t.indexClauses(c, position); err != nil {
		return err
	}
	if err := t.knownColumns(columns, position); err != nil {
		return err
	}
	definition := "UNIQUE "
	if c.GetNullsNotDistinct() {
		definition += "NULLS NOT DISTINCT "
	}
	definition += identList(columns) + when.String()
	t.addConstraint(catalog.Constraint{Name: c.GetConname(), Kind: catalog.Unique, Definition: definition}, position)
	return nil
}

func (t *tableBuilder) check(c *pg_query.Constraint, position int) error {
	expr, err := expression(c.GetRawExpr())
	if err != nil {
		return sqlerr.From(err).At(position)
	}
	definition := "CHECK (" + expr + ")"
	if c.GetIsNoInherit() {
		definition += " NO INHERIT"
	}
	t.addConstraint(catalog.Constraint{Name: c.GetConname(), Kind: catalog.Check, Definition: definition}, position)
	return nil
}

// foreignKey: a key between two tables of one catalog is that system's, and no part of the shadow.
func (t *tableBuilder) foreignKey(c *pg_query.Constraint, columns []string, when timing, position int) error {
	if typ := t.target.catalog.Type; typ != "postgres" && typ != "mysql" {
		return sqlerr.New(sqlerr.FeatureNotSupported, `foreign keys are not supported by catalogs of type "%s"`, typ).At(position)
	}
	name, m, err := t.referenced(c.GetPktable(), parse.References)
	if err != nil {
		return err
	}
	self := m.rel == nil
	if !self && (!m.managed || m.catalog.Name != t.target.catalog.Name) {
		return sqlerr.New(sqlerr.FeatureNotSupported, "foreign keys are not supported between catalogs").
			WithDetail(`"%s" is not in catalog "%s".`, joined(name.Parts), t.target.catalog.Name).
			At(t.st.Position(name.Span.Start))
	}
	if !self && m.name != t.target.name {
		t.refers = append(t.refers, m.name)
	}
	if err := t.knownColumns(columns, position); err != nil {
		return err
	}
	keys := stringList(c.GetPkAttrs())
	if len(keys) == 0 {
		keys = t.referencedKey(m)
	}
	definition := "FOREIGN KEY " + identList(columns) + " REFERENCES " + t.externalName(m)
	if len(keys) > 0 {
		definition += identList(keys)
	}
	definition += keyActions(c) + when.String()
	t.addConstraint(catalog.Constraint{Name: c.GetConname(), Kind: catalog.ForeignKey, Definition: definition}, position)
	return nil
}

// referencedKey is the primary key that a foreign key without columns means.
func (t *tableBuilder) referencedKey(m meaning) []string {
	if m.rel != nil {
		return m.rel.Table.PrimaryKey
	}
	if len(t.table.PrimaryKey) > 0 {
		return t.table.PrimaryKey
	}
	for _, node := range t.stmt.GetTableElts() {
		if c := node.GetConstraint(); c.GetContype() == pg_query.ConstrType_CONSTR_PRIMARY {
			return stringList(c.GetKeys())
		}
	}
	return nil
}

// externalName is a table's name as its own system has it.
func (t *tableBuilder) externalName(m meaning) string {
	external := t.resource.Path
	if m.rel != nil {
		external = m.rel.Path
		if len(external) == 0 {
			external = m.name.Path()
		}
	}
	quoted := make([]string, len(external))
	for i, part := range external {
		quoted[i] = catalog.QuoteIdent(part)
	}
	return strings.Join(quoted, ".")
}

func identList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = catalog.QuoteIdent(name)
	}
	return "(" + strings.Join(quoted, ", ") + ")"
}

// keyActions are the clauses of a foreign key in the order and spelling of pg_get_constraintdef.
func keyActions(c *pg_query.Constraint) string {
	actions := map[string]string{"r": "RESTRICT", "c": "CASCADE", "n": "SET NULL", "d": "SET DEFAULT"}
	text := ""
	if c.GetFkMatchtype() == "f" {
		text += " MATCH FULL"
	}
	if action, ok := actions[c.GetFkUpdAction()]; ok {
		text += " ON UPDATE " + action
	}
	if action, ok := actions[c.GetFkDelAction()]; ok {
		text += " ON DELETE " + action
		if columns := stringList(c.GetFkDelSetCols()); len(columns) > 0 {
			text += " " + identList(columns)
		}
	}
	return text
}
