package bind

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// addOne is ADD COLUMN.
func (a *alteration) addOne(cmd *pg_query.AlterTableCmd, i int) error {
	def := cmd.GetDef().GetColumnDef()
	if columnIndex(a.table, def.GetColname()) >= 0 {
		if cmd.GetMissingOk() {
			return nil // home's notice
		}
		return sqlerr.New(sqlerr.DuplicateColumn, `column "%s" of relation "%s" already exists`, def.GetColname(), a.target.name.Table)
	}
	if columnIndex(a.before, def.GetColname()) >= 0 {
		return sqlerr.New(sqlerr.FeatureNotSupported, `dropping and adding column "%s" in one statement is not supported`, def.GetColname()).
			WithHint("Write a statement for each.").At(a.commandPosition(i))
	}
	var span parse.Span
	if i < len(a.spans) {
		span = a.spans[i]
	}
	if err := a.column(def, span); err != nil {
		return err
	}
	for _, key := range a.table.PrimaryKey {
		a.setNotNull(key)
	}
	return nil
}

// dropColumn is DROP COLUMN. Keys and constraints that use the column go with it, as in PostgreSQL.
func (a *alteration) dropColumn(cmd *pg_query.AlterTableCmd) error {
	name := cmd.GetName()
	i := columnIndex(a.table, name)
	if i < 0 {
		return a.noColumn(name, cmd.GetMissingOk())
	}
	a.table.Columns = slices.Delete(a.table.Columns, i, i+1)
	if slices.Contains(a.table.PrimaryKey, name) {
		a.table.PrimaryKey, a.table.KeyName = nil, ""
	}
	kept := a.table.Constraints[:0:0]
	for _, c := range a.table.Constraints {
		columns, err := constraintColumns(c)
		if err != nil {
			return err
		}
		if !slices.Contains(columns, name) {
			kept = append(kept, c)
		}
	}
	a.table.Constraints = kept
	return nil
}

func (a *alteration) noColumn(name string, missingOK bool) error {
	if missingOK {
		return nil // home's notice
	}
	return sqlerr.New(sqlerr.UndefinedColumn, `column "%s" of relation "%s" does not exist`, name, a.target.name.Table)
}

// alterColumn is ALTER COLUMN.
func (a *alteration) alterColumn(cmd *pg_query.AlterTableCmd, i int) error {
	at := columnIndex(a.table, cmd.GetName())
	if at < 0 {
		return a.noColumn(cmd.GetName(), false)
	}
	column := &a.table.Columns[at]
	place := columnPlace{name: a.commandPosition(i), typ: a.commandPosition(i)}
	a.columns[column.Name] = place
	switch cmd.GetSubtype() {
	case pg_query.AlterTableType_AT_SetNotNull:
		column.NotNull = true
	case pg_query.AlterTableType_AT_DropNotNull:
		return a.dropNotNull(column)
	case pg_query.AlterTableType_AT_ColumnDefault:
		return a.setDefault(column, cmd.GetDef(), place.name)
	case pg_query.AlterTableType_AT_AddIdentity:
		if column.Identity != "" {
			return nil // home's error
		}
		return a.identity(cmd.GetDef().GetConstraint(), column, place.name)
	case pg_query.AlterTableType_AT_DropIdentity:
		column.Identity = ""
	default:
		return a.setType(column, cmd.GetDef().GetColumnDef(), place)
	}
	return nil
}

func (a *alteration) dropNotNull(column *catalog.Column) error {
	if slices.Contains(a.table.PrimaryKey, column.Name) {
		return sqlerr.New(sqlerr.InvalidTableDefinition, `column "%s" is in a primary key`, column.Name)
	}
	if column.Identity != "" {
		return sqlerr.New(sqlerr.SyntaxError, `column "%s" of relation "%s" is an identity column`, column.Name, a.target.name.Table)
	}
	column.NotNull = false
	return nil
}

func (a *alteration) setDefault(column *catalog.Column, def *pg_query.Node, position int) error {
	column.Default = ""
	if def == nil {
		return nil
	}
	expr, err := expression(def)
	if err != nil {
		return sqlerr.From(err).At(position)
	}
	column.Default = expr
	return nil
}

func (a *alteration) setType(column *catalog.Column, def *pg_query.ColumnDef, place columnPlace) error {
	if def.GetRawDefault() != nil {
		return a.unsupported("ALTER COLUMN … TYPE … USING", place.name)
	}
	if err := a.columnClauses(def, place); err != nil {
		return err
	}
	typ, err := a.typeName(def.GetTypeName())
	if err != nil {
		return err
	}
	a.columns[column.Name] = columnPlace{name: place.name, typ: a.st.Position(int(def.GetTypeName().GetLocation()))}
	column.Type = typ
	return nil
}
