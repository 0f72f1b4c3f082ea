package bind

import (
	"fmt"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// compiler makes the plan of one statement.
type compiler struct {
	st       *parse.Statement
	snap     *catalog.Snapshot
	systems  map[string]System
	settings Settings
	names    []parse.Name   // of st
	refers   []catalog.Name // tables that foreign keys of it refer to
	stands   []catalog.Name // what the object stands in, of a statement without steps
	resolver
}

// Compile makes the plan of a statement that defines objects; of an EXPLAIN, that of the statement which
// it is about. systems are the types of catalog by name. It answers ErrNotManaged for a statement that
// the home database carries out by itself, and otherwise *sqlerr.Error values with positions in the whole
// text.
func Compile(
	st *parse.Statement, snap *catalog.Snapshot, systems map[string]System, settings Settings,
) (*plan.Plan, error) {
	inner := explained(st)
	c := &compiler{
		st: inner, snap: snap, systems: systems, settings: settings, names: parse.Names(inner), resolver: resolver{snap},
	}
	p, err := c.compile()
	if err != nil {
		return nil, err
	}
	return c.finish(p)
}

func (c *compiler) compile() (*plan.Plan, error) {
	drop := c.st.Node.GetDropStmt()
	if err := c.unknown(c.st, c.names); err != nil {
		return nil, err
	}
	if s, ok := c.st.Extension.(*parse.CreateCatalog); ok {
		return c.createCatalog(s)
	}
	if s := c.st.DropCatalog(); s != nil {
		return c.dropCatalog(s)
	}
	if s := c.st.AlterCatalog(); s != nil {
		return c.alterCatalog(s)
	}
	if s, ok := c.st.Extension.(*parse.RefreshCatalog); ok {
		return c.refreshCatalog(s)
	}
	if tag := serverOnly(c.st.Node); tag != "" && len(c.names) > 0 {
		return c.atHomeAlone(tag, c.names[0])
	}
	if s := c.st.CreateSchema(); s != nil {
		return c.createSchema(s)
	}
	if s := c.st.DropSchema(); s != nil {
		return c.dropSchema(s)
	}
	if s := c.st.Node.GetCreateStmt(); s != nil {
		return c.createTable(s)
	}
	if s := c.st.Node.GetAlterTableStmt(); s != nil {
		return c.alterTable(s)
	}
	if s := c.st.Node.GetRenameStmt(); s != nil {
		return c.rename(s)
	}
	if s := c.st.Node.GetCommentStmt(); s != nil {
		return c.comment(s)
	}
	if drop.GetRemoveType() == pg_query.ObjectType_OBJECT_TABLE {
		return c.dropTable(drop)
	}
	return nil, ErrNotManaged
}

// finish fills in what all plans have.
func (c *compiler) finish(p *plan.Plan) (*plan.Plan, error) {
	p.Statement = c.st.Mask(c.isSecret)
	p.Record = p.Record || len(p.Steps) > 0
	if len(p.Locks) > 0 {
		p.Lock = p.Locks[0]
	}
	for i := range p.Steps {
		p.Steps[i].Target.RequestedBy = c.snap.User
	}
	c.share(p)
	hash, err := p.Fingerprint()
	if err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	p.Hash = hash
	return p, nil
}

// share finds what must stay as it is while the statement is carried out. What the statement changes itself
// it has for itself alone.
func (c *compiler) share(p *plan.Plan) {
	hold := func(name catalog.Name) {
		if text := name.String(); !slices.Contains(p.Locks, text) {
			addUnique(&p.Shares, text)
		}
	}
	for _, step := range p.Steps {
		name := step.Target.Name
		if step.Target.Kind == plan.CatalogKind {
			continue
		}
		hold(catalog.Name{Catalog: step.Catalog.Name})
		if step.Target.Kind == plan.TableKind && name.Schema != "" {
			hold(catalog.Name{Catalog: name.Catalog, Schema: name.Schema})
		}
	}
	for _, name := range c.stands {
		hold(name)
	}
	for _, name := range c.refers {
		if name.Schema != "" {
			hold(catalog.Name{Catalog: name.Catalog, Schema: name.Schema})
		}
		hold(name)
		addUnique(&p.Refers, name.String())
	}
}

// serverOnly is the tag of a statement that changes a server and nothing outside; else empty.
func serverOnly(node *pg_query.Node) string {
	switch {
	case node.GetCommentStmt().GetObjtype() == pg_query.ObjectType_OBJECT_FOREIGN_SERVER:
		return "COMMENT"
	case node.GetAlterOwnerStmt().GetObjectType() == pg_query.ObjectType_OBJECT_FOREIGN_SERVER:
		return "ALTER SERVER"
	default:
		return ""
	}
}

// isSecret tells whether any type of catalog calls an option a secret.
func (c *compiler) isSecret(option string) bool {
	for _, system := range c.systems {
		schema := system.Options()
		for _, specs := range [][]catalog.OptionSpec{schema.Catalog, schema.Table} {
			if spec := findSpec(specs, option); spec != nil && spec.Secret {
				return true
			}
		}
	}
	return false
}

// system is the type of a catalog.
func (c *compiler) system(cat catalog.Catalog, position int) (System, error) {
	system, ok := c.systems[cat.Type]
	if !ok {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, `catalogs of type "%s" are not supported`, cat.Type).
			WithHint("Supported types are %s.", strings.Join(c.types(), ", ")).At(position)
	}
	return system, nil
}

// path is who carries out the steps on a catalog's objects.
func path(cat catalog.Catalog) plan.Path {
	if value, _ := cat.Options.Get("provisioning"); value == "job" {
		return plan.Slow
	}
	return plan.Fast
}

// position is the character position of a span, 0 when it is empty.
func (c *compiler) position(span parse.Span) int {
	if span.Empty() {
		return 0
	}
	return c.st.Position(span.Start)
}

// checkLength refuses a name that PostgreSQL would cut.
func checkLength(name string, position int) error {
	if len(name) > catalog.NameLengthMax {
		return sqlerr.New(sqlerr.NameTooLong, `identifier "%s" is too long`, name).
			WithDetail("A name has at most %d bytes; this one has %d.", catalog.NameLengthMax, len(name)).At(position)
	}
	return nil
}

// checkLengths refuses a statement with any name that PostgreSQL would cut.
func (c *compiler) checkLengths() error {
	for i, token := range c.st.Tokens() {
		if token.End-token.Start <= catalog.NameLengthMax {
			continue
		}
		if name, ok := c.st.Ident(i); ok {
			if err := checkLength(name, c.st.Position(token.Start)); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkName refuses names that cannot be ones of managed objects: too long as home shows them, or of a
// schema where the system has none.
func (c *compiler) checkName(cat catalog.Catalog, name catalog.Name, position int) error {
	if name.Schema != "" && !cat.Layered() {
		e := sqlerr.New(sqlerr.FeatureNotSupported, `catalog "%s" holds no schemas`, cat.Name).At(position)
		if name.Table == "" {
			return e
		}
		return e.WithHint("Write %s.", catalog.Name{Catalog: cat.Name, Table: name.Table})
	}
	if home := name.HomeSchema(); len(home) > catalog.NameLengthMax {
		return sqlerr.New(sqlerr.NameTooLong, `identifier "%s" is too long`, home).
			WithDetail("A catalog and its schema have at most %d bytes together, with the dot; these have %d.",
				catalog.NameLengthMax, len(home)).At(position)
	}
	return checkLength(name.Table, position)
}

// mixed is the error for a statement on home and managed objects at once.
func mixed(position int) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "a statement on objects of the home database and of catalogs at once is not supported").
		WithHint("Write a statement for each.").At(position)
}

// unwall is the statement that takes the wall of a shadow away before it is dropped.
func unwall(rel *catalog.Relation) plan.HomeStatement {
	regclass := catalog.QuoteIdent(rel.HomeSchema) + "." + catalog.QuoteIdent(rel.HomeName)
	return plan.HomeStatement{
		SQL:    "SELECT tablewright.unwall(" + strings.TrimSpace(catalog.QuoteLiteral(regclass)) + "::regclass)",
		Ticket: true,
	}
}

// unfinished is the error for an object that another job is working on, nil when it is ready. What the
// statement's own transaction is going to make counts as ready.
func (c *compiler) unfinished(rel *catalog.Relation, name string, dropping bool) *sqlerr.Error {
	if rel.JobID != "" && slices.Contains(c.settings.OwnJobs, rel.JobID) {
		return nil
	}
	return unfinished(rel, name, dropping)
}

// withRows is the error for a table whose rows cannot be read or written yet, nil when they can.
func withRows(rel *catalog.Relation, name string, ownJobs []string) *sqlerr.Error {
	if rel.JobID != "" && slices.Contains(ownJobs, rel.JobID) {
		return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, `"%s" has no rows before the transaction commits`, name).
			WithHint("Use COMMIT first.")
	}
	return unfinished(rel, name, false)
}

func unfinished(rel *catalog.Relation, name string, dropping bool) *sqlerr.Error {
	switch rel.State {
	case "", "ready":
		return nil
	case "failed", "drop failed":
		if dropping {
			return nil
		}
		return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, `making "%s" has failed`, name).
			WithDetail("Job %s failed.", rel.JobID).WithHint("Use DROP TABLE, then make it again.")
	case "provisioning":
		return sqlerr.New(sqlerr.ObjectInUse, `"%s" is being made`, name).
			WithDetail("Job %s is making it.", rel.JobID).WithHint("Use WAIT FOR JOB '%s'.", rel.JobID)
	case "altering":
		return sqlerr.New(sqlerr.ObjectInUse, `"%s" is being changed`, name).
			WithDetail("Job %s is changing it.", rel.JobID).WithHint("Use WAIT FOR JOB '%s'.", rel.JobID)
	case "dropping":
		return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, `"%s" is being dropped`, name).
			WithDetail("Job %s is dropping it.", rel.JobID).WithHint("Use WAIT FOR JOB '%s'.", rel.JobID)
	default:
		return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, `"%s" is in state %s`, name, rel.State).
			WithDetail("Job %s is working on it.", rel.JobID).WithHint("Use WAIT FOR JOB '%s'.", rel.JobID)
	}
}
