// Package catalog holds the immutable description of what statements name: catalogs, schemas, tables,
// columns and their names. It does no I/O; the home database fills a Snapshot, the compiler reads it.
package catalog

import (
	"regexp"
	"strings"
)

// NameLengthMax is PostgreSQL's limit of an identifier, in bytes (NAMEDATALEN - 1).
const NameLengthMax = 63

// Name is the full name of an object of an external system. Schema is empty for a table of a flat
// system, Table is empty for a schema.
type Name struct {
	Catalog string
	Schema  string
	Table   string
}

// HomeSchema is the schema of the home database that shows the object: `kafka` for a flat catalog,
// `lake.sales` for schema sales of the layered catalog lake.
func (n Name) HomeSchema() string {
	if n.Schema == "" {
		return n.Catalog
	}
	return n.Catalog + "." + n.Schema
}

// Path is the object's path inside its system: [schema, table], [table] or [schema].
func (n Name) Path() []string {
	var path []string
	if n.Schema != "" {
		path = append(path, n.Schema)
	}
	if n.Table != "" {
		path = append(path, n.Table)
	}
	return path
}

// String is the name in SQL quoting, part by part: lake.sales.orders, lake."Sales".orders.
func (n Name) String() string {
	parts := make([]string, 0, 3)
	for _, part := range []string{n.Catalog, n.Schema, n.Table} {
		if part != "" {
			parts = append(parts, QuoteIdent(part))
		}
	}
	return strings.Join(parts, ".")
}

// HomeString is the name of the shadow in SQL quoting: "lake.sales".orders.
func (n Name) HomeString() string {
	if n.Table == "" {
		return QuoteIdent(n.HomeSchema())
	}
	return QuoteIdent(n.HomeSchema()) + "." + QuoteIdent(n.Table)
}

var plainIdent = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// QuoteIdent quotes an identifier for SQL when it is not a plain lower-case one. Reserved words are
// quoted as well, so that the result is valid wherever an identifier is.
func QuoteIdent(ident string) string {
	if plainIdent.MatchString(ident) && !isKeyword(ident) {
		return ident
	}
	return `"` + strings.ReplaceAll(ident, `"`, `""`) + `"`
}

// QuoteLiteral quotes a string for SQL under standard_conforming_strings.
func QuoteLiteral(s string) string {
	quoted := `'` + strings.ReplaceAll(s, `'`, `''`) + `'`
	if strings.Contains(s, `\`) {
		return ` E` + strings.ReplaceAll(quoted, `\`, `\\`)
	}
	return quoted
}
