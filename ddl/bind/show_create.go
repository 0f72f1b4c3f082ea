package bind

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// Shown resolves the relation of SHOW CREATE TABLE or VIEW. For a table that is managed its definition can be
// written by CreateTableText; a view's is the home database's.
func Shown(st *parse.Statement, snap *catalog.Snapshot) (catalog.Relation, error) {
	show, ok := st.Extension.(*parse.ShowCreate)
	if !ok {
		return catalog.Relation{}, ErrNotManaged
	}
	position := st.Position(show.Name.Span().Start)
	m := resolver{snap}.relation(parse.Name{Parts: show.Name.Strings(), Kind: parse.RelationName, Role: parse.Read})
	full := joined(show.Name.Strings())
	switch {
	case m.rel == nil:
		return catalog.Relation{}, sqlerr.New(sqlerr.UndefinedTable, `relation "%s" does not exist`, full).At(position)
	case (show.Kind == "VIEW") != (m.rel.Kind == 'v'):
		return catalog.Relation{}, sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a %s`, full, strings.ToLower(show.Kind)).At(position)
	case show.Kind == "TABLE" && !m.rel.Managed:
		return catalog.Relation{}, sqlerr.New(sqlerr.FeatureNotSupported, `SHOW CREATE TABLE of "%s", a table of the home database, is not supported`, full).
			WithHint("Use pg_dump --schema-only --table.").At(position)
	}
	return *m.rel, nil
}

// ByPath finds the table of a catalog that stands for an external one; a zero name when there is none.
type ByPath func(path []string) catalog.Name

// CreateTableText is the CREATE TABLE that makes a managed table as it is registered, and behind it its comments.
// It compiles to the same definition.
func CreateTableText(cat catalog.Catalog, rel catalog.Relation, find ByPath) string {
	t := rel.Table
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (", t.Name)
	elements := tableElements(rel, find)
	for i, element := range elements {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n  " + element)
	}
	if len(elements) > 0 {
		b.WriteString("\n")
	}
	b.WriteString(")")
	if len(t.Partitioning) > 0 {
		b.WriteString("\n" + partitioningText(cat, t.Partitioning))
	}
	b.WriteString(withText(tableOptionsShown(rel)) + ";")
	for _, comment := range commentTexts(t) {
		b.WriteString("\n" + comment)
	}
	return b.String()
}

// tableElements are the columns, the key and the constraints.
func tableElements(rel catalog.Relation, find ByPath) []string {
	var elements []string
	t := rel.Table
	for _, c := range t.Columns {
		element := catalog.QuoteIdent(c.Name) + " " + c.Type
		switch {
		case c.Identity != "":
			element += " GENERATED " + c.Identity + " AS IDENTITY"
		case c.Default != "":
			element += " DEFAULT " + defaultText(c.Default)
		}
		if c.NotNull && c.Identity == "" && !slices.Contains(t.PrimaryKey, c.Name) {
			element += " NOT NULL"
		}
		elements = append(elements, element)
	}
	if len(t.PrimaryKey) > 0 {
		elements = append(elements, "PRIMARY KEY "+identList(t.PrimaryKey))
	}
	for _, c := range t.Constraints {
		element := c.Definition
		if c.Kind == catalog.ForeignKey {
			element = ownReference(rel, c.Definition, find)
		}
		if c.Name != "" {
			element = "CONSTRAINT " + catalog.QuoteIdent(c.Name) + " " + element
		}
		elements = append(elements, element)
	}
	return elements
}

// plainDefault is an expression that stands behind DEFAULT without parentheses.
var plainDefault = regexp.MustCompile(`^('([^'\\]|'')*'|-?[0-9.]+|[a-zA-Z_]+(\(\))?)(::[a-z ]+)?$`)

func defaultText(expr string) string {
	if plainDefault.MatchString(expr) {
		return expr
	}
	return "(" + expr + ")"
}

// constraintBefore makes a statement of a constraint's definition.
const constraintBefore = "ALTER TABLE t ADD "

// referencedRange is the table that a foreign key's definition refers to; nil when it cannot be read.
func referencedRange(definition string) *pg_query.RangeVar {
	tree, err := pg_query.Parse(constraintBefore + definition)
	if err != nil || len(tree.GetStmts()) != 1 {
		return nil
	}
	commands := tree.GetStmts()[0].GetStmt().GetAlterTableStmt().GetCmds()
	if len(commands) != 1 {
		return nil
	}
	return commands[0].GetAlterTableCmd().GetDef().GetConstraint().GetPktable()
}

// Referenced is the path of the external table that a foreign key's definition refers to; nil when it cannot be
// read.
func Referenced(definition string) []string {
	if rv := referencedRange(definition); rv != nil {
		return rangeParts(rv)
	}
	return nil
}

// HomeTable is the full name of the managed table that a home schema shows.
func HomeTable(cat, schema, table string) catalog.Name {
	name := catalog.Name{Catalog: cat, Table: table}
	if inner, ok := strings.CutPrefix(schema, cat+"."); ok {
		name.Schema = inner
	}
	return name
}

// ownReference writes the table of a foreign key, which the definition names as its system does, by its full
// name.
func ownReference(rel catalog.Relation, definition string, find ByPath) string {
	rv := referencedRange(definition)
	st, err := parse.Split(constraintBefore + definition)
	if rv == nil || err != nil || len(st) != 1 {
		return definition
	}
	path := rangeParts(rv)
	name := rel.Table.Name
	if !slices.Equal(path, rel.Path) {
		name = find(path)
	}
	if name.Table == "" {
		name = catalog.Name{Catalog: rel.Table.Name.Catalog, Schema: rv.GetSchemaname(), Table: rv.GetRelname()}
	}
	_, span, ok := st[0].NameAt(int(rv.GetLocation()), len(path))
	if !ok {
		return definition
	}
	return definition[:span.Start-len(constraintBefore)] + name.String() + definition[span.End-len(constraintBefore):]
}

// rangeParts are the parts of a table's name.
func rangeParts(rv *pg_query.RangeVar) []string {
	if rv.GetSchemaname() == "" {
		return []string{rv.GetRelname()}
	}
	return []string{rv.GetSchemaname(), rv.GetRelname()}
}

// partitioningText is the clause as the type of catalog has it.
func partitioningText(cat catalog.Catalog, partitioning []catalog.Transform) string {
	if cat.Type == "postgres" {
		return "PARTITION BY " + strings.ToUpper(partitioning[0].Transform) + " " + identList(partitioning[0].Columns)
	}
	texts := make([]string, len(partitioning))
	for i, p := range partitioning {
		if p.Transform == "identity" {
			texts[i] = catalog.QuoteIdent(p.Columns[0])
			continue
		}
		args := slices.Clone(p.Args)
		for _, column := range p.Columns {
			args = append(args, catalog.QuoteIdent(column))
		}
		texts[i] = p.Transform + "(" + strings.Join(args, ", ") + ")"
	}
	return "PARTITIONED BY (" + strings.Join(texts, ", ") + ")"
}

// tableOptionsShown are the table's options, with the name of the external table when it has another one.
func tableOptionsShown(rel catalog.Relation) catalog.Options {
	options := slices.Clone(rel.Table.Options)
	if n := len(rel.Path); n > 0 && rel.Path[n-1] != rel.Table.Name.Table {
		options = append(options, catalog.Option{Name: "name", Value: rel.Path[n-1]})
	}
	return options
}

var plainKey = regexp.MustCompile(`^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)*$`)

// withText is a WITH clause on a line of its own; empty without options. A secret is masked.
func withText(options catalog.Options) string {
	if len(options) == 0 {
		return ""
	}
	texts := make([]string, len(options))
	for i, o := range options {
		key := o.Name
		if !plainKey.MatchString(key) {
			key = strings.TrimSpace(catalog.QuoteLiteral(key))
		}
		texts[i] = "\n  " + key + " = " + strings.TrimSpace(catalog.QuoteLiteral(shownValue(o)))
	}
	return "\nWITH (" + strings.Join(texts, ",") + "\n)"
}

// shownValue is an option as it is shown: a reference is none of a secret, a literal secret is masked.
func shownValue(o catalog.Option) string {
	if o.SecretRef != nil && strings.HasPrefix(o.SecretRef.Name, catalog.SecretNamePrefix) {
		return "***"
	}
	if o.SecretRef == nil && o.Reference == "" && parse.IsSecretName(o.Name) {
		return "***"
	}
	return referenceText(o)
}

func commentTexts(t catalog.Table) []string {
	var texts []string
	if t.Comment != "" {
		texts = append(texts, "COMMENT ON TABLE "+t.Name.String()+" IS "+strings.TrimSpace(catalog.QuoteLiteral(t.Comment))+";")
	}
	for _, c := range t.Columns {
		if c.Comment != "" {
			texts = append(texts, "COMMENT ON COLUMN "+t.Name.String()+"."+catalog.QuoteIdent(c.Name)+" IS "+
				strings.TrimSpace(catalog.QuoteLiteral(c.Comment))+";")
		}
	}
	return texts
}

// CreateCatalogText is the CREATE CATALOG that registers a catalog, but for literal secrets, which are masked.
func CreateCatalogText(cat catalog.Catalog, comment string) string {
	text := "CREATE CATALOG " + catalog.QuoteIdent(cat.Name)
	if comment != "" {
		text += " COMMENT " + strings.TrimSpace(catalog.QuoteLiteral(comment))
	}
	return text + withText(append(catalog.Options{{Name: "type", Value: cat.Type}}, cat.Options...)) + ";"
}

// CreateViewText is the CREATE VIEW of a view of the home database.
func CreateViewText(rel catalog.Relation, definition string, options []string) string {
	text := "CREATE VIEW " + catalog.QuoteIdent(rel.HomeSchema) + "." + catalog.QuoteIdent(rel.HomeName)
	if len(options) > 0 {
		text += " WITH (" + strings.Join(options, ", ") + ")"
	}
	return text + " AS\n" + strings.TrimSuffix(strings.TrimRight(definition, " \n"), ";") + ";"
}
