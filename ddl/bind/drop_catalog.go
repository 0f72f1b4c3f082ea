package bind

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// dependentsShown is how many dependents an error lists, as in PostgreSQL.
const dependentsShown = 100

// dropCatalog: the shadows and the server go, what the system holds stays.
func (c *compiler) dropCatalog(s *parse.DropCatalog) (*plan.Plan, error) {
	var dropped []catalog.Catalog
	var missing []parse.Ident
	for _, name := range s.Names {
		if cat, ok := c.snap.Catalogs[name.Value]; ok {
			dropped = append(dropped, cat)
		} else {
			missing = append(missing, name)
		}
	}
	p := &plan.Plan{Tag: s.Tag()}
	if len(missing) > 0 {
		if s.Spelling != "CATALOG" {
			if len(dropped) > 0 {
				return nil, mixed(c.st.Position(missing[0].Start))
			}
			return nil, ErrNotManaged
		}
		if !s.IfExists {
			return nil, sqlerr.New(sqlerr.UndefinedObject, `catalog "%s" does not exist`, missing[0].Value).
				At(c.st.Position(missing[0].Start))
		}
		for _, name := range missing {
			p.Notices = append(p.Notices, skipped("catalog", name.Value))
		}
	}
	return c.dropCatalogs(p, dropped, s)
}

func skipped(kind, name string) plan.Notice {
	return plan.Notice{
		Severity: "NOTICE", Code: sqlerr.SuccessfulCompletion, Message: fmt.Sprintf(`%s "%s" does not exist, skipping`, kind, name),
	}
}

func (c *compiler) dropCatalogs(p *plan.Plan, dropped []catalog.Catalog, s *parse.DropCatalog) (*plan.Plan, error) {
	var servers, uids []string
	for _, cat := range dropped {
		relations, schemas := c.contents(cat.Name)
		if err := c.droppable(cat, relations, s.Cascade); err != nil {
			return nil, err
		}
		for i := range relations {
			p.Home = append(p.Home, unwall(&relations[i]))
		}
		for _, schema := range schemas {
			sql := "DROP SCHEMA " + catalog.QuoteIdent(schema)
			if s.Cascade {
				sql += " CASCADE"
			}
			p.Home = append(p.Home, plan.HomeStatement{SQL: sql, Ticket: true})
		}
		quoted := catalog.QuoteIdent(cat.Name)
		servers, uids = append(servers, quoted), append(uids, fmt.Sprint(cat.OID))
		p.Forget = append(p.Forget, replacedSecrets(cat.Options, nil)...)
	}
	if len(servers) == 0 {
		return p, nil
	}
	p.Target, p.TargetUID = strings.Join(servers, ", "), strings.Join(uids, ", ")
	p.Locks = slices.Clone(servers)
	slices.Sort(p.Locks)
	p.Record, p.Whole = true, true
	p.Home = append(p.Home, plan.HomeStatement{SQL: "DROP SERVER " + p.Target, Ticket: true, Own: true})
	return p, nil
}

// contents are the managed relations of a catalog and its home schemas, sorted by name.
func (c *compiler) contents(name string) ([]catalog.Relation, []string) {
	var schemas []string
	for _, schema := range c.snap.Schemas {
		if schema.Catalog == name {
			schemas = append(schemas, schema.Name)
		}
	}
	slices.Sort(schemas)
	var relations []catalog.Relation
	for _, schema := range schemas {
		relations = append(relations, c.managedIn(schema)...)
	}
	return relations, schemas
}

// managedIn are the managed relations of a home schema, sorted by name.
func (c *compiler) managedIn(schema string) []catalog.Relation {
	var relations []catalog.Relation
	for _, rel := range c.snap.Relations {
		if rel.HomeSchema == schema && rel.Managed {
			relations = append(relations, rel)
		}
	}
	slices.SortFunc(relations, func(a, b catalog.Relation) int { return strings.Compare(a.HomeName, b.HomeName) })
	return relations
}

// droppable refuses a catalog that holds tables unless CASCADE, and one that jobs work in.
func (c *compiler) droppable(cat catalog.Catalog, relations []catalog.Relation, cascade bool) error {
	for i := range relations {
		rel := &relations[i]
		if err := c.unfinished(rel, c.nameOf(rel).String(), true); err != nil {
			return err
		}
	}
	if cascade || len(relations) == 0 {
		return nil
	}
	return c.dependents("catalog "+catalog.QuoteIdent(cat.Name), relations)
}

// nameOf is the full name of a managed relation.
func (c *compiler) nameOf(rel *catalog.Relation) catalog.Name {
	name := catalog.Name{Catalog: rel.Catalog, Table: rel.HomeName}
	if schema, ok := strings.CutPrefix(rel.HomeSchema, rel.Catalog+"."); ok {
		name.Schema = schema
	}
	return name
}

// dependents is PostgreSQL's error for objects that others depend on.
func (c *compiler) dependents(what string, relations []catalog.Relation) error {
	lines := make([]string, 0, len(relations))
	for i := range relations {
		if len(lines) == dependentsShown {
			lines = append(lines, fmt.Sprintf("and %d other objects", len(relations)-dependentsShown))
			break
		}
		lines = append(lines, fmt.Sprintf("table %s depends on %s", c.nameOf(&relations[i]), what))
	}
	return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop %s because other objects depend on it", what).
		WithDetail("%s", strings.Join(lines, "\n")).WithHint("Use DROP ... CASCADE to drop the dependent objects too.")
}
