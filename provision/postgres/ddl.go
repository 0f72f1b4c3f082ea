package postgres

import (
	"fmt"
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
)

// createTable is the CREATE TABLE statement of a definition; its types and expressions are trusted to
// be single ones, which Check and the extended protocol see to.
func createTable(n name, t catalog.Table) string {
	elements := make([]string, 0, len(t.Columns)+len(t.Constraints)+1)
	for _, c := range t.Columns {
		elements = append(elements, columnDefinition(c))
	}
	if len(t.PrimaryKey) > 0 {
		elements = append(elements, "PRIMARY KEY ("+idents(t.PrimaryKey)+")")
	}
	for _, c := range t.Constraints {
		elements = append(elements, constraintDefinition(c))
	}
	var sql strings.Builder
	sql.WriteString("CREATE TABLE " + n.sql() + " (\n\t" + strings.Join(elements, ",\n\t") + "\n)")
	for _, p := range t.Partitioning {
		sql.WriteString(" PARTITION BY " + strings.ToUpper(p.Transform) + " (" + idents(p.Columns) + ")")
	}
	if len(t.Options) > 0 {
		sql.WriteString(" WITH (" + storageParameters(t.Options) + ")")
	}
	return sql.String()
}

func columnDefinition(c catalog.Column) string {
	sql := ident(c.Name) + " " + c.Type
	if c.Identity != "" {
		sql += " GENERATED " + c.Identity + " AS IDENTITY"
	}
	if c.Default != "" {
		sql += " DEFAULT " + c.Default
	}
	if c.NotNull {
		sql += " NOT NULL"
	}
	return sql
}

func constraintDefinition(c catalog.Constraint) string {
	if c.Name == "" {
		return c.Definition
	}
	return "CONSTRAINT " + ident(c.Name) + " " + c.Definition
}

func storageParameters(options catalog.Options) string {
	parts := make([]string, 0, len(options))
	for _, o := range options {
		parts = append(parts, o.Name+" = "+o.Value)
	}
	return strings.Join(parts, ", ")
}

// commentStatements are the COMMENT statements of a new table.
func commentStatements(schema, table string, t catalog.Table) []string {
	n := name{schema, table}
	var statements []string
	if t.Comment != "" {
		statements = append(statements, commentOnTable(n, t.Comment))
	}
	for _, c := range t.Columns {
		if c.Comment != "" {
			statements = append(statements, commentOnColumn(n, c.Name, c.Comment))
		}
	}
	return statements
}

func commentOnTable(n name, comment string) string {
	return fmt.Sprintf("COMMENT ON TABLE %s IS %s", n.sql(), literalOrNull(comment))
}

func commentOnColumn(n name, column, comment string) string {
	return fmt.Sprintf("COMMENT ON COLUMN %s.%s IS %s", n.sql(), ident(column), literalOrNull(comment))
}

func literalOrNull(text string) string {
	if text == "" {
		return "NULL"
	}
	return catalog.QuoteLiteral(text)
}

// parsePartKey reads what pg_get_partkeydef prints: RANGE (a, "B").
func parsePartKey(def string) []catalog.Transform {
	strategy, list, ok := strings.Cut(def, " (")
	if !ok {
		return nil
	}
	transform := catalog.Transform{Transform: strings.ToLower(strategy)}
	for _, part := range splitOutsideQuotes(strings.TrimSuffix(list, ")")) {
		if len(part) >= 2 && part[0] == '"' {
			part = strings.ReplaceAll(part[1:len(part)-1], `""`, `"`)
		}
		transform.Columns = append(transform.Columns, part)
	}
	return []catalog.Transform{transform}
}

// splitOutsideQuotes splits at commas that are in no quotes and no parentheses.
func splitOutsideQuotes(list string) []string {
	var parts []string
	depth, start, quoted := 0, 0, false
	for i, c := range list {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(list[start:i]))
			start = i + 1
		}
	}
	return append(parts, strings.TrimSpace(list[start:]))
}
