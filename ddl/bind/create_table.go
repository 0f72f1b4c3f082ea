package bind

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// createTable: the shadow is made at home from the client's own text, without what is ours; the
// definition goes to the external system.
func (c *compiler) createTable(s *pg_query.CreateStmt) (*plan.Plan, error) {
	t, err := c.newTable(s)
	if err != nil {
		return nil, err
	}
	if err := t.clauses(); err != nil {
		return nil, err
	}
	if rel := t.target.rel; rel != nil {
		if t.replaces() {
			return t.replace(rel)
		}
		return t.exists(rel)
	}
	if !t.target.known {
		return nil, sqlerr.New(sqlerr.InvalidSchemaName, `schema "%s" does not exist`, t.target.schema).At(t.position)
	}
	system, err := c.system(t.target.catalog, t.position)
	if err != nil {
		return nil, err
	}
	if err := t.options(system); err != nil {
		return nil, err
	}
	if err := t.elements(); err != nil {
		return nil, err
	}
	return t.plan(system)
}

// newTable finds the target among the statement's names.
func (c *compiler) newTable(s *pg_query.CreateStmt) (*tableBuilder, error) {
	for _, name := range c.names {
		if !name.New {
			continue
		}
		m := c.relation(name)
		if !m.managed || name.Temporary {
			return nil, ErrNotManaged
		}
		position := c.position(name.Span)
		if err := c.checkName(m.catalog, m.name, position); err != nil {
			return nil, err
		}
		if err := c.checkLengths(); err != nil {
			return nil, err
		}
		t := &tableBuilder{
			compiler: c, stmt: s, target: m, position: position,
			columns: map[string]columnPlace{}, resource: plan.Resource{Kind: plan.TableKind, Name: m.name, Path: m.name.Path()},
		}
		t.edits = append(t.edits, spliceHome(tableTarget{m, name}))
		t.table.Name = m.name
		t.bare = len(name.Parts) == 1
		return t, nil
	}
	return nil, ErrNotManaged
}

// tableBuilder makes the definition of one table, and the text of its shadow.
type tableBuilder struct {
	*compiler
	stmt     *pg_query.CreateStmt
	target   meaning
	position int  // of the name
	bare     bool // the name is written without a schema

	table       catalog.Table
	edits       []plan.Edit
	columns     map[string]columnPlace
	constraints []int // positions of table.Constraints
	notices     []plan.Notice
	resource    plan.Resource
	settings    catalog.Options
	step        plan.Step
}

// columnPlace is where a column stands, as positions.
type columnPlace struct {
	name int
	typ  int
}

// plainPlan has what the statement's plan has in every case.
func (t *tableBuilder) plainPlan() *plan.Plan {
	full := t.target.name.String()
	rw := splice(t.st.Text, t.edits)
	return &plan.Plan{
		Tag: "CREATE TABLE", Target: full, TargetUID: "absent", Locks: []string{full}, Waits: t.stmt.GetIfNotExists() || t.replaces(),
		Home: []plan.HomeStatement{{SQL: rw.Text(), Ticket: true, Own: true, Origin: rw}},
	}
}

// exists: home answers with its own error or, for IF NOT EXISTS, its notice. The work that is still
// being done on the object comes first.
func (t *tableBuilder) exists(rel *catalog.Relation) (*plan.Plan, error) {
	p := t.plainPlan()
	if rel.Identity != "" {
		p.TargetUID = rel.Identity
	}
	if err := t.unfinished(rel, p.Target, false); err != nil {
		if rel.State != "provisioning" || !t.stmt.GetIfNotExists() {
			return nil, err.At(t.position)
		}
		p.WaitJob = rel.JobID
	} else if t.stmt.GetIfNotExists() && !t.replaces() {
		p.Present, p.PresentName = rel.OID, rel.HomeName
		name := t.target.name
		t.stands = append(t.stands, catalog.Name{Catalog: name.Catalog})
		if name.Schema != "" {
			t.stands = append(t.stands, catalog.Name{Catalog: name.Catalog, Schema: name.Schema})
		}
	}
	return p, nil
}

// plan asks the system whether it can hold the definition, and says so for what it cannot enforce.
func (t *tableBuilder) plan(system System) (*plan.Plan, error) {
	t.resource.Table = t.table
	if err := system.Check(t.target.catalog, t.resource); err != nil {
		return nil, t.placed(sqlerr.From(err))
	}
	t.notEnforced()
	p := t.plainPlan()
	p.Notices, p.Settings = t.notices, t.settings
	t.step.ID = "create table " + p.Target
	t.step.Action, t.step.Catalog, t.step.Target = plan.Create, t.target.catalog, t.resource
	p.Steps = []plan.Step{t.step}
	return p, nil
}

// placed adds where the column or constraint stands that an error is about.
func (t *tableBuilder) placed(e *sqlerr.Error) *sqlerr.Error {
	if e.Position > 0 {
		return e
	}
	if place, ok := t.columns[e.Column]; ok && e.Column != "" {
		if e.DataType != "" || e.Code == sqlerr.DatatypeMismatch {
			return e.At(place.typ)
		}
		return e.At(place.name)
	}
	for i, constraint := range t.table.Constraints {
		if e.Constraint != "" && (e.Constraint == constraint.Name || e.Constraint == string(constraint.Kind)) {
			return e.At(t.constraints[i])
		}
	}
	return e.At(t.position)
}

// notEnforced tells of a primary key that the system records and does not enforce.
func (t *tableBuilder) notEnforced() {
	if len(t.table.PrimaryKey) == 0 || catalog.EnforcesKeys(t.target.catalog.Type) {
		return
	}
	t.notices = append(t.notices, plan.Notice{
		Severity: "NOTICE", Code: sqlerr.SuccessfulCompletion,
		Message: `primary key of "` + t.target.name.String() + `" is not enforced`,
		Detail:  `Catalogs of type "` + t.target.catalog.Type + `" record the key and accept rows that break it.`,
	})
}
