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

// dropSchema: the schemas, and with CASCADE the tables in them, are deleted in the external system.
func (c *compiler) dropSchema(s *parse.DropSchema) (*plan.Plan, error) {
	names, err := c.droppedSchemas(s)
	if err != nil {
		return nil, err
	}
	allow, err := c.dropSchemaOptions(s)
	if err != nil {
		return nil, err
	}
	p := &plan.Plan{Tag: s.Tag(), TargetUID: "absent"}
	var uids []string
	var edits []plan.Edit
	for _, n := range names {
		if err := c.dropOneSchema(p, n.meaning, s, allow); err != nil {
			return nil, err
		}
		edits = append(edits, plan.Edit{Start: n.span.Start, End: n.span.End, Text: n.meaning.name.HomeString()})
		p.Locks = append(p.Locks, n.meaning.name.String())
		if schema, ok := c.snap.Schemas[n.meaning.home]; ok {
			uids = append(uids, fmt.Sprint(schema.OID))
		}
	}
	p.Target = strings.Join(p.Locks, ", ")
	if len(uids) > 0 {
		p.TargetUID = strings.Join(uids, ", ")
	}
	slices.Sort(p.Locks)
	if len(s.Options) > 0 {
		edits = append(edits, cutBlank(c.st.Text, s.OptionsSpan))
	}
	rw := splice(c.st.Text, edits)
	p.Home = append(p.Home, plan.HomeStatement{SQL: rw.Text(), Ticket: true, Own: true, Origin: rw})
	return p, nil
}

// schemaTarget is one schema of the statement.
type schemaTarget struct {
	meaning schemaMeaning
	span    parse.Span
}

// droppedSchemas resolves the names. One of two parts that belongs to no catalog goes home as one name:
// home knows that there is no such schema.
func (c *compiler) droppedSchemas(s *parse.DropSchema) ([]schemaTarget, error) {
	var managed []schemaTarget
	homes := 0
	for _, name := range s.Names {
		m := c.schema(name.Strings())
		position := c.st.Position(name.Span().Start)
		switch {
		case m.unknown != "":
			m.name = catalog.Name{Catalog: name[0].Value, Schema: name[1].Value}
			managed = append(managed, schemaTarget{m, name.Span()})
		case !m.managed:
			homes++
		case m.name.Schema == "":
			return nil, sqlerr.New(sqlerr.WrongObjectType, `"%s" is the schema of a catalog that holds no others`, m.home).
				WithHint("Use DROP CATALOG %s.", catalog.QuoteIdent(m.home)).At(position)
		default:
			if err := c.checkName(m.catalog, m.name, position); err != nil {
				return nil, err
			}
			managed = append(managed, schemaTarget{m, name.Span()})
		}
	}
	if homes > 0 {
		if len(managed) > 0 || len(s.Options) > 0 {
			return nil, mixed(c.st.Position(s.Names[0].Span().Start))
		}
		return nil, ErrNotManaged
	}
	return managed, nil
}

// dropSchemaOptions reads WITH (allow_destructive = …).
func (c *compiler) dropSchemaOptions(s *parse.DropSchema) (allow bool, err error) {
	specs := []catalog.OptionSpec{{Name: allowOption, Type: catalog.BooleanOption}}
	checked, err := c.checkOptions(s.Options, specs)
	if err != nil {
		return false, err
	}
	if len(checked) == 0 {
		return c.settings.AllowDestructive, nil
	}
	if !s.Cascade {
		return false, sqlerr.New(sqlerr.InvalidParameterValue, "allow_destructive has no effect without CASCADE").
			At(c.st.Position(s.OptionsSpan.Start))
	}
	return checked[0].value == "true", nil
}

func (c *compiler) dropOneSchema(p *plan.Plan, m schemaMeaning, s *parse.DropSchema, allow bool) error {
	if !m.known {
		return nil // home's error or notice
	}
	relations := c.managedIn(m.home)
	if err := c.schemaDroppable(m, relations, s.Cascade, allow); err != nil {
		return err
	}
	var ids []string
	for i := range relations {
		rel := &relations[i]
		p.Home = append(p.Home, unwall(rel))
		step := c.dropStep(m.catalog, c.nameOf(rel), rel)
		ids = append(ids, step.ID)
		p.Steps = append(p.Steps, step)
	}
	p.Steps = append(p.Steps, plan.Step{
		ID: "drop schema " + m.name.String(), Action: plan.Drop, Catalog: m.catalog, Destructive: true, Path: plan.Fast,
		Target: plan.Resource{Kind: plan.SchemaKind, Name: m.name, Path: m.name.Path()}, DependsOn: ids,
	})
	return nil
}

// schemaDroppable: RESTRICT wants it empty, CASCADE wants to be allowed, and observed tables stay.
func (c *compiler) schemaDroppable(m schemaMeaning, relations []catalog.Relation, cascade, allow bool) error {
	var observed, all []string
	for i := range relations {
		rel := &relations[i]
		name := c.nameOf(rel).String()
		if err := c.unfinished(rel, name, true); err != nil {
			return err
		}
		if rel.Observed {
			observed = append(observed, "table "+name)
		}
		all = append(all, "table "+name)
	}
	switch {
	case len(relations) == 0:
		return nil
	case !cascade:
		return c.dependents("schema "+m.name.String(), relations)
	case len(observed) > 0:
		return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "cannot drop schema %s because it holds tables that were not made here", m.name).
			WithDetail("%s", strings.Join(observed, "\n")).
			WithHint("Use ALTER TABLE … SET (managed = 'full') for each of them first.")
	case !allow:
		return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "cannot drop schema %s because that would delete tables", m.name).
			WithDetail("%s", strings.Join(all, "\n")).
			WithHint("Use DROP SCHEMA %s CASCADE WITH (allow_destructive = true).", m.name)
	}
	return nil
}
