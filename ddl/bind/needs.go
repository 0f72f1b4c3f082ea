package bind

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
)

// HomeName is a name of a relation in the home database.
type HomeName struct {
	Schema string // empty: whatever the search path finds
	Name   string
}

// Needs is what a snapshot must hold to compile a statement. What does not exist is left out of the
// snapshot. Beyond this a snapshot always holds the schemas of the search path and the catalog of every
// schema that it holds.
type Needs struct {
	Catalogs  []string   // by name
	Schemas   []string   // by home name
	Relations []HomeName // with columns, key and constraints
	AllIn     []string   // home schemas of which every relation is wanted
	AllOf     []string   // catalogs of which every schema, with its relations, is wanted
	Types     []string   // type names, as to_regtype() takes them
	// Brief tells that it is no matter how the relations are defined, unless the statement is to lead them there.
	Brief bool
}

// Empty tells whether nothing is needed.
func (n *Needs) Empty() bool {
	return len(n.Catalogs) == 0 && len(n.Schemas) == 0 && len(n.Relations) == 0 && len(n.AllIn) == 0 &&
		len(n.AllOf) == 0 && len(n.Types) == 0
}

// Requirements says what a snapshot must hold for a statement.
func Requirements(st *parse.Statement) Needs {
	var n Needs
	for _, name := range parse.Names(st) {
		n.addName(name)
	}
	inner := explained(st)
	if s := inner.DropSchema(); s != nil {
		for _, name := range s.Names {
			addUnique(&n.AllIn, strings.Join(name.Strings(), "."))
		}
	}
	if s := inner.DropCatalog(); s != nil {
		for _, name := range s.Names {
			addUnique(&n.AllOf, name.Value)
		}
	}
	if r := inner.Node.GetRenameStmt(); r.GetRenameType() == pg_query.ObjectType_OBJECT_TABLE {
		for _, name := range parse.Names(inner) {
			name.Parts = append(slices.Clone(name.Parts[:len(name.Parts)-1]), r.GetNewname())
			n.addName(name)
		}
	}
	for _, element := range inner.Node.GetCreateStmt().GetTableElts() {
		n.addType(element.GetColumnDef().GetTypeName())
	}
	for _, cmd := range inner.Node.GetAlterTableStmt().GetCmds() {
		n.addType(cmd.GetAlterTableCmd().GetDef().GetColumnDef().GetTypeName())
	}
	if s := inner.AlterCatalog(); s != nil && s.RenameTo != nil {
		addUnique(&n.AllOf, s.Name.Value)
	}
	n.Brief = onlyIfAbsent(st)
	return n
}

// onlyIfAbsent tells whether a statement makes a table if there is none, and names nothing else.
func onlyIfAbsent(st *parse.Statement) bool {
	if !st.Node.GetCreateStmt().GetIfNotExists() || st.Table != nil && st.Table.OrReplace {
		return false
	}
	relations := 0
	for _, name := range parse.Names(st) {
		if name.Kind == parse.RelationName {
			relations++
		}
	}
	return relations == 1
}

// More says what is still to be read once the catalogs are known: `lake.orders` may mean a table of the
// default schema of lake, whose name is an option of it. It is empty for most statements.
func More(st *parse.Statement, snap *catalog.Snapshot) Needs {
	var n Needs
	for _, name := range parse.Names(st) {
		if name.Kind != parse.RelationName || len(name.Parts) != 2 {
			continue
		}
		c, ok := snap.Catalogs[name.Parts[0]]
		if _, isSchema := snap.Schemas[name.Parts[0]]; isSchema || !ok || !c.Layered() {
			continue
		}
		schema := c.Name + "." + c.DefaultSchema()
		if _, have := snap.Schemas[schema]; have {
			continue
		}
		addUnique(&n.Schemas, schema)
		n.Relations = append(n.Relations, HomeName{Schema: schema, Name: name.Parts[1]})
	}
	n.moreOfRename(explained(st).Node.GetRenameStmt(), snap)
	return n
}

// explained is the statement itself, or the one that EXPLAIN is about.
func explained(st *parse.Statement) *parse.Statement {
	if e, ok := st.Extension.(*parse.Explain); ok {
		return e.Inner
	}
	return st
}

func addUnique(list *[]string, value string) {
	if value != "" && !slices.Contains(*list, value) {
		*list = append(*list, value)
	}
}

// catalogOf is the catalog that a home schema's name may belong to: lake of lake.sales.
func catalogOf(schema string) string {
	name, _, _ := strings.Cut(schema, ".")
	return name
}

func (n *Needs) addName(name parse.Name) {
	parts := name.Parts
	switch name.Kind {
	case parse.CatalogName:
		addUnique(&n.Catalogs, parts[0])
		addUnique(&n.Schemas, parts[0])
	case parse.SchemaName:
		addUnique(&n.Catalogs, catalogOf(parts[0]))
		addUnique(&n.Schemas, strings.Join(parts, "."))
	case parse.RelationName:
		n.addRelation(parts)
	}
}

func (n *Needs) addRelation(parts []string) {
	add := func(schema, name string) {
		if schema != "" {
			addUnique(&n.Schemas, schema)
		}
		if h := (HomeName{Schema: schema, Name: name}); !slices.Contains(n.Relations, h) {
			n.Relations = append(n.Relations, h)
		}
	}
	switch len(parts) {
	case 1:
		add("", parts[0])
	case 2:
		addUnique(&n.Catalogs, catalogOf(parts[0]))
		addUnique(&n.Catalogs, parts[0])
		add(parts[0], parts[1])
	case 3:
		addUnique(&n.Catalogs, parts[0])
		addUnique(&n.Catalogs, catalogOf(parts[1]))
		add(parts[0]+"."+parts[1], parts[2])
		// The first part may be the home database's own name.
		add(parts[1], parts[2])
	}
}

func (n *Needs) addType(typ *pg_query.TypeName) {
	if typ == nil {
		return
	}
	if _, known := builtinType(typ); !known && serialType(typ) == "" {
		addUnique(&n.Types, typeKey(typ))
	}
}
