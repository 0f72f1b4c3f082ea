package bind

import (
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// meaning is what a name of a relation means.
type meaning struct {
	managed bool
	catalog catalog.Catalog   // of a managed name
	name    catalog.Name      // of a managed name
	schema  string            // home schema; empty when the search path finds nothing
	known   bool              // the home schema exists
	rel     *catalog.Relation // nil when there is none
	unknown string            // first part of three that is no catalog
}

// resolver finds what names mean in one snapshot.
type resolver struct{ snap *catalog.Snapshot }

// relation resolves the name of a relation by the rules of docs/sql.md, "Names".
func (r resolver) relation(name parse.Name) meaning {
	parts := name.Parts
	if len(parts) == 3 && parts[0] == r.snap.Database && r.hasSchema(parts[1]) {
		parts = parts[1:]
	}
	switch len(parts) {
	case 3:
		return r.threeParts(parts)
	case 2:
		return r.twoParts(parts[0], parts[1])
	case 1:
		if name.Temporary {
			return meaning{}
		}
		if name.New {
			return r.created(parts[0])
		}
		return r.found(parts[0])
	default:
		return meaning{}
	}
}

func (r resolver) hasSchema(name string) bool {
	_, ok := r.snap.Schemas[name]
	return ok
}

func (r resolver) threeParts(parts []string) meaning {
	c, ok := r.snap.Catalogs[parts[0]]
	if !ok {
		return meaning{unknown: parts[0]}
	}
	name := catalog.Name{Catalog: c.Name, Schema: parts[1], Table: parts[2]}
	return r.inSchema(c, name)
}

func (r resolver) twoParts(schema, table string) meaning {
	if s, ok := r.snap.Schemas[schema]; ok {
		return r.inHomeSchema(s, table)
	}
	// "lake.sales" of a schema that does not exist yet belongs to lake all the same.
	if c, inner, ok := r.claimed(schema); ok {
		return r.inSchema(c, catalog.Name{Catalog: c.Name, Schema: inner, Table: table})
	}
	if c, ok := r.snap.Catalogs[schema]; ok && c.Layered() {
		return r.inSchema(c, catalog.Name{Catalog: c.Name, Schema: c.DefaultSchema(), Table: table})
	}
	return meaning{schema: schema}
}

// claimed tells which layered catalog the name of a home schema belongs to: lake.sales to lake.
func (r resolver) claimed(schema string) (c catalog.Catalog, inner string, ok bool) {
	name, inner, dotted := strings.Cut(schema, ".")
	c, ok = r.snap.Catalogs[name]
	return c, inner, ok && dotted && inner != "" && c.Layered()
}

// inHomeSchema is a table of a home schema that exists.
func (r resolver) inHomeSchema(s catalog.Schema, table string) meaning {
	c, ok := r.snap.Catalogs[s.Catalog]
	if s.Catalog == "" || !ok {
		return meaning{schema: s.Name, known: true, rel: r.at(s.Name, table)}
	}
	name := catalog.Name{Catalog: c.Name, Table: table}
	if c.Layered() {
		name.Schema = strings.TrimPrefix(s.Name, c.Name+".")
	}
	return r.inSchema(c, name)
}

func (r resolver) inSchema(c catalog.Catalog, name catalog.Name) meaning {
	schema := name.HomeSchema()
	return meaning{
		managed: true, catalog: c, name: name, schema: schema, known: r.hasSchema(schema), rel: r.at(schema, name.Table),
	}
}

func (r resolver) at(schema, table string) *catalog.Relation {
	if rel, ok := r.snap.Relations[catalog.HomeKey(schema, table)]; ok {
		return &rel
	}
	return nil
}

// created is where CREATE puts a bare name: the first schema of the search path.
func (r resolver) created(table string) meaning {
	if len(r.snap.SearchPath) == 0 {
		return meaning{}
	}
	return r.twoParts(r.snap.SearchPath[0], table)
}

// found is what a bare name means: temporary relations come first, then the system's, then the path's.
func (r resolver) found(table string) meaning {
	for _, rel := range r.snap.Relations {
		if rel.HomeName == table && strings.HasPrefix(rel.HomeSchema, "pg_temp_") {
			return meaning{schema: rel.HomeSchema, known: true, rel: &rel}
		}
	}
	for _, schema := range append([]string{"pg_catalog"}, r.snap.SearchPath...) {
		if r.at(schema, table) != nil {
			return r.twoParts(schema, table)
		}
	}
	return meaning{}
}

// schemaMeaning is what a name of a schema means.
type schemaMeaning struct {
	managed bool
	catalog catalog.Catalog
	name    catalog.Name // without Table
	home    string       // home name
	known   bool
	unknown string // first part of two that is no catalog
}

// schema resolves the name of a schema: lake.sales, "lake.sales", kafka.
func (r resolver) schema(parts []string) schemaMeaning {
	home := strings.Join(parts, ".")
	m := schemaMeaning{home: home, known: r.hasSchema(home)}
	if len(parts) == 2 {
		c, ok := r.snap.Catalogs[parts[0]]
		if !ok {
			m.unknown = parts[0]
			return m
		}
		m.managed, m.catalog = true, c
		m.name = catalog.Name{Catalog: c.Name, Schema: parts[1]}
		return m
	}
	if s, ok := r.snap.Schemas[home]; ok && s.Catalog != "" {
		c := r.snap.Catalogs[s.Catalog]
		m.managed, m.catalog, m.name = true, c, catalog.Name{Catalog: c.Name}
		if c.Layered() {
			m.name.Schema = strings.TrimPrefix(home, c.Name+".")
		}
		return m
	}
	if c, inner, ok := r.claimed(home); ok {
		m.managed, m.catalog, m.name = true, c, catalog.Name{Catalog: c.Name, Schema: inner}
	}
	return m
}

// Managed tells which managed object a name means, for the routing of a statement: its full name in SQL
// quoting, or "". A name of three parts that Unknown lets pass counts as one: home cannot read it.
func Managed(snap *catalog.Snapshot) func(parse.Name) string {
	r := resolver{snap}
	return func(name parse.Name) string {
		switch name.Kind {
		case parse.CatalogName:
			if _, ok := snap.Catalogs[name.Parts[0]]; ok {
				return catalog.QuoteIdent(name.Parts[0])
			}
		case parse.SchemaName:
			if m := r.schema(name.Parts); m.managed {
				return m.name.String()
			}
		case parse.RelationName:
			m := r.relation(name)
			if m.managed {
				return m.name.String()
			}
			if m.unknown != "" {
				return joined(name.Parts)
			}
		}
		return ""
	}
}

// Unknown is the error for a name whose first part of three is neither a catalog nor the home database:
// home would call it a cross-database reference. It is nil when there is no such name, and for DROP …
// IF EXISTS, which skips it.
func Unknown(st *parse.Statement, snap *catalog.Snapshot) *sqlerr.Error {
	return resolver{snap}.unknown(st, parse.Names(st))
}

func (r resolver) unknown(st *parse.Statement, names []parse.Name) *sqlerr.Error {
	if explained(st).Node.GetDropStmt().GetMissingOk() {
		return nil
	}
	for _, name := range names {
		if name.Kind != parse.RelationName {
			continue
		}
		m := r.relation(name)
		if m.unknown == "" {
			continue
		}
		position := 0
		if !name.Span.Empty() {
			position = st.Position(name.Span.Start)
		}
		if name.Role == parse.Read || name.Role == parse.Like || name.Role == parse.References {
			return sqlerr.New(sqlerr.UndefinedTable, `relation "%s" does not exist`, strings.Join(name.Parts, ".")).At(position)
		}
		return sqlerr.New(sqlerr.InvalidSchemaName, `schema "%s" does not exist`, m.unknown).At(position)
	}
	return nil
}
