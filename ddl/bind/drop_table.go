package bind

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// dropTable: the shadows go first, in the client's transaction, where home finds dependents; the
// external tables go after its commit.
func (c *compiler) dropTable(s *pg_query.DropStmt) (*plan.Plan, error) {
	targets, err := c.droppedTables()
	if err != nil {
		return nil, err
	}
	p := &plan.Plan{Tag: "DROP TABLE", Waits: s.GetMissingOk(), TargetUID: "absent"}
	var edits []plan.Edit
	var uids []string
	for _, t := range targets {
		if t.name.Span.Empty() {
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, `the name "%s" cannot be found in the statement`, joined(t.name.Parts)).
				WithHint("Write it without UESCAPE.")
		}
		edits = append(edits, spliceHome(t))
		full := t.meaning.name.String()
		if slices.Contains(p.Locks, full) {
			continue // named twice
		}
		p.Locks = append(p.Locks, full)
		if err := c.dropOneTable(p, t); err != nil {
			return nil, err
		}
		if t.meaning.rel != nil && t.meaning.rel.Identity != "" {
			uids = append(uids, t.meaning.rel.Identity)
		}
	}
	p.Target = strings.Join(p.Locks, ", ")
	if len(uids) > 0 {
		p.TargetUID = strings.Join(uids, ", ")
	}
	slices.Sort(p.Locks)
	rw := splice(c.st.Text, edits)
	p.Home = append(p.Home, plan.HomeStatement{SQL: rw.Text(), Ticket: true, Own: true, Origin: rw})
	return p, nil
}

// droppedTables resolves the names. One of three parts that belongs to no catalog goes home as two, for
// IF EXISTS to skip it.
func (c *compiler) droppedTables() ([]tableTarget, error) {
	var targets []tableTarget
	var homes []parse.Name
	for _, name := range c.names {
		m := c.relation(name)
		switch {
		case m.unknown != "":
			m.name = catalog.Name{Catalog: name.Parts[0], Schema: name.Parts[1], Table: name.Parts[2]}
			targets = append(targets, tableTarget{m, name})
		case m.managed:
			targets = append(targets, tableTarget{m, name})
		default:
			homes = append(homes, name)
		}
	}
	if len(targets) == 0 {
		return nil, ErrNotManaged
	}
	if len(homes) > 0 {
		return nil, mixed(c.position(homes[0].Span))
	}
	return targets, nil
}

// tableTarget is one relation of the statement.
type tableTarget struct {
	meaning meaning
	name    parse.Name
}

// spliceHome writes the shadow's name in place of the client's.
func spliceHome(t tableTarget) plan.Edit {
	return plan.Edit{Start: t.name.Span.Start, End: t.name.Span.End, Text: t.meaning.name.HomeString()}
}

func (c *compiler) dropOneTable(p *plan.Plan, t tableTarget) error {
	m, position := t.meaning, c.position(t.name.Span)
	if !m.managed {
		return nil // home's notice
	}
	if err := c.checkName(m.catalog, m.name, position); err != nil {
		return err
	}
	rel := m.rel
	if rel == nil || !rel.Managed {
		return nil // home's error or notice
	}
	full := m.name.String()
	if rel.Observed {
		return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, `"%s" was not made here, so it is not dropped`, full).
			WithDetail("Its catalog was registered with the table already in it.").
			WithHint("Use ALTER TABLE %s SET (managed = 'full') first.", full).At(position)
	}
	if err := c.unfinished(rel, full, true); err != nil {
		return err.At(position)
	}
	if _, err := c.system(m.catalog, position); err != nil {
		return err
	}
	p.Home = append(p.Home, unwall(rel))
	p.Steps = append(p.Steps, c.dropStep(m.catalog, m.name, rel))
	return nil
}

// dropStep deletes one external table, and only the one that the registry knows.
func (c *compiler) dropStep(cat catalog.Catalog, name catalog.Name, rel *catalog.Relation) plan.Step {
	table := rel.Table
	table.Name = name
	external := rel.Path
	if len(external) == 0 {
		external = name.Path()
	}
	return plan.Step{
		ID: "drop table " + name.String(), Action: plan.Drop, Catalog: cat, Destructive: true, Path: path(cat),
		Target: plan.Resource{
			Kind: plan.TableKind, Name: name, Path: external, Table: table, Identity: rel.Identity,
		},
	}
}

// cutBlank removes a part of a text together with the blanks before it.
func cutBlank(text string, span parse.Span) plan.Edit {
	start := span.Start
	for start > 0 && strings.IndexByte(" \t\r\n\f\v", text[start-1]) >= 0 {
		start--
	}
	return plan.Edit{Start: start, End: span.End}
}
