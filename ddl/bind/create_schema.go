package bind

import (
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// createSchema: CREATE SCHEMA lake.s, or CREATE SCHEMA "lake.s".
func (c *compiler) createSchema(s *parse.CreateSchema) (*plan.Plan, error) {
	m := c.schema(s.Name.Strings())
	span := s.Name.Span()
	position := c.st.Position(span.Start)
	if m.unknown != "" {
		return nil, sqlerr.New(sqlerr.UndefinedObject, `catalog "%s" does not exist`, m.unknown).At(position)
	}
	// The schema of a flat catalog exists since the catalog does: home says so.
	if !m.managed || m.name.Schema == "" {
		return nil, ErrNotManaged
	}
	if err := c.checkName(m.catalog, m.name, position); err != nil {
		return nil, err
	}
	if err := c.schemaExtra(s); err != nil {
		return nil, err
	}
	system, err := c.system(m.catalog, position)
	if err != nil {
		return nil, err
	}
	resource := plan.Resource{Kind: plan.SchemaKind, Name: m.name, Path: m.name.Path()}
	if err := system.Check(m.catalog, resource); err != nil {
		return nil, sqlerr.From(err).At(position)
	}
	rw := splice(c.st.Text, []plan.Edit{{Start: span.Start, End: span.End, Text: m.name.HomeString()}})
	p := &plan.Plan{
		Tag: s.Tag(), Target: m.name.String(), TargetUID: "absent", Locks: []string{m.name.String()}, Waits: s.IfNotExists,
		Home: []plan.HomeStatement{{SQL: rw.Text(), Ticket: true, Own: true, Origin: rw}},
	}
	if m.known {
		if c.settings.Apply {
			p.Waits, p.Unchanged, p.Home = true, true, nil
		}
		return p, nil
	}
	p.Home = append(p.Home, manageSchema(m.name.HomeSchema(), m.catalog.Name))
	p.Steps = []plan.Step{{
		ID: "create schema " + m.name.String(), Action: plan.Create, Catalog: m.catalog, Target: resource, Path: plan.Fast,
	}}
	return p, nil
}

// schemaExtra refuses what a managed schema cannot have beside its name. An owner is the home database's.
func (c *compiler) schemaExtra(s *parse.CreateSchema) error {
	elements := c.st.Node.GetCreateSchemaStmt().GetSchemaElts()
	if s.Extra.Empty() || len(elements) == 0 {
		return nil
	}
	start := s.Extra.Start
	for i, t := range c.st.Tokens() {
		if t.Start >= s.Extra.Start && (c.st.Word(i) == "create" || c.st.Word(i) == "grant") {
			start = t.Start
			break
		}
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "CREATE SCHEMA with objects to be made in it is not supported for schemas of catalogs").
		WithHint("Write a statement for each object.").At(c.st.Position(start))
}
