package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/route"
	"github.com/tablewright/tablewright/deploy"
	"github.com/tablewright/tablewright/deploy/relation"
	"github.com/tablewright/tablewright/home"
)

// Gateway is what all sessions share.
type Gateway struct {
	Home      Home
	Deployer  Deployer
	Relations Relations
	Discovery Discoverer
	Secrets   SecretStore
	Systems   map[string]bind.System
	Names     *NameCache
	Routes    *RouteCache
}

// Deployer carries plans out, and looks after what became of them.
type Deployer interface {
	Planner
	Jobs
}

// Planner carries plans out.
type Planner interface {
	// Settle waits for jobs that are at work on objects, or answers 55006 when there is one.
	Settle(ctx context.Context, names []string, wait bool, settings deploy.Settings, n deploy.Notifier) error
	// Check looks whether the live systems allow a plan, behind the earlier ones of its transaction; it
	// changes nothing.
	Check(ctx context.Context, p *plan.Plan, earlier []*plan.Plan) error
	// Begin records the work of a home transaction that is about to commit.
	Begin(ctx context.Context, r deploy.Request) (*deploy.Run, error)
	// Look says what EXPLAIN shows beyond the plan; it changes nothing.
	Look(ctx context.Context, p *plan.Plan) plan.Extra
}

// Jobs are the jobs that plans became.
type Jobs interface {
	// WaitForJob waits for a job's end; a failed job is an error with the job's own SQLSTATE.
	WaitForJob(ctx context.Context, id uuid.UUID, settings deploy.Settings, n deploy.Notifier) error
	// Ended is the plan of a job that has ended without success; another one is 55000.
	Ended(ctx context.Context, id uuid.UUID) (*plan.Plan, error)
	// CancelJob asks for a job's end.
	CancelJob(ctx context.Context, id uuid.UUID) error
}

// Discoverer reads what systems hold.
type Discoverer interface {
	// Discover makes the statements that bring the shadows of a catalog up to date; it changes nothing.
	Discover(ctx context.Context, c catalog.Catalog) (deploy.Discovered, error)
}

// Relations moves rows of managed tables.
type Relations interface {
	// Scan begins to read a table; done ends it.
	Scan(ctx context.Context, r *bind.Read, filters []relation.Filter) (rows relation.Rows, done func(), err error)
	// Write appends rows: all of them or none.
	Write(ctx context.Context, w *bind.Write, rows [][][]byte) (int64, error)
}

// SecretStore takes the literal secrets of statements in.
type SecretStore interface {
	Save(ctx context.Context, secrets []plan.Secret) error
	Forget(ctx context.Context, refs []catalog.SecretKeyRef) error
	Resolve(ctx context.Context, o catalog.Option) (string, error)
}

// errNotManaged tells that a statement names nothing of an external system.
var errNotManaged = bind.ErrNotManaged

// QueryText runs a query that answers one value; it makes the session the source of snapshots.
func (s *Session) QueryText(ctx context.Context, sql string, args ...string) (string, error) {
	r, err := s.query(ctx, sql, texts(args...)...)
	if err != nil {
		return "", err
	}
	if len(r.Rows) != 1 || len(r.Rows[0]) != 1 {
		return "", fmt.Errorf("query answered %d rows in place of one value", len(r.Rows))
	}
	return string(r.Rows[0][0]), nil
}

// snapshot reads what a statement names, as this session's transaction sees it.
func (s *Session) snapshot(ctx context.Context, st *parse.Statement) (*catalog.Snapshot, error) {
	needs := bind.Requirements(st)
	snap, err := s.readSnapshot(ctx, needs)
	if err != nil {
		return nil, err
	}
	more := bind.More(st, snap)
	if more.Empty() {
		return snap, nil
	}
	needs.Schemas = append(needs.Schemas, more.Schemas...)
	needs.Relations = append(needs.Relations, more.Relations...)
	needs.AllOf = append(needs.AllOf, more.AllOf...)
	return s.readSnapshot(ctx, needs)
}

func (s *Session) readSnapshot(ctx context.Context, n bind.Needs) (*catalog.Snapshot, error) {
	w := home.Wanted{Catalogs: n.Catalogs, Schemas: n.Schemas, AllIn: n.AllIn, Types: n.Types, Brief: n.Brief, Settings: heeded()}
	for _, r := range n.Relations {
		w.Relations = append(w.Relations, home.RelationName(r))
	}
	for _, c := range n.AllOf {
		schemas, err := s.schemasOf(ctx, c)
		if err != nil {
			return nil, err
		}
		w.Schemas = append(w.Schemas, schemas...)
		w.AllIn = append(w.AllIn, schemas...)
	}
	return home.ReadSnapshot(ctx, s, w)
}

// schemasOf lists the home schemas of a catalog.
func (s *Session) schemasOf(ctx context.Context, name string) ([]string, error) {
	text, err := s.QueryText(ctx, `select coalesce(pg_catalog.json_agg(name order by name), '[]')::text
 from tablewright.managed_schema where catalog = $1`, name)
	if err != nil {
		return nil, err
	}
	var schemas []string
	return schemas, errors.Join(json.Unmarshal([]byte(text), &schemas))
}

// rememberView notes the name that the session gives to a view over what may be managed: a managed table may be
// reached through it. Other views need no look at the home database, which would leave its locks in the transaction.
func (s *Session) rememberView(st *parse.Statement) {
	name := st.Node.GetViewStmt().GetView().GetRelname()
	if rename := st.Node.GetRenameStmt(); renamesView(rename) {
		name = rename.GetNewname()
	}
	over := func(n parse.Name) bool { return !n.New && s.mayMean([]parse.Name{n}) }
	if name == "" || !slices.ContainsFunc(parse.Names(st), over) {
		return
	}
	view := newManagedNames()
	view.relations[name] = struct{}{}
	s.gateway.Names.hold(s, view)
	s.own.relations[name] = struct{}{}
}

// renamesView tells whether a statement may give a view another name: ALTER TABLE may, too.
func renamesView(rename *pg_query.RenameStmt) bool {
	kind := rename.GetRenameType()
	return kind == pg_query.ObjectType_OBJECT_VIEW || kind == pg_query.ObjectType_OBJECT_TABLE
}

// decide finds out what a statement's names mean and who carries it out.
func (s *Session) decide(ctx context.Context, st *parse.Statement) (route.Decision, *catalog.Snapshot, error) {
	s.rememberView(st)
	snap, err := s.snapshot(ctx, st)
	if err != nil {
		return route.Decision{}, nil, err
	}
	if err := bind.Unknown(st, snap); err != nil {
		return route.Decision{}, nil, err
	}
	d := route.Of(st, bind.Managed(snap))
	if d.Route == route.Refused {
		return d, snap, d.Err
	}
	return d, snap, nil
}

// compile makes the plan of a statement that defines objects.
func (s *Session) compile(ctx context.Context, st *parse.Statement, snap *catalog.Snapshot, settings deploy.Settings) (*plan.Plan, error) {
	if err := s.mayDrop(ctx, st, snap); err != nil {
		return nil, err
	}
	binding := bind.Settings{
		AllowDestructive: settings.AllowDestructive, SecretSuffix: uuid.NewString()[:8], OwnJobs: s.tx.jobs(), Apply: settings.Apply,
	}
	p, err := bind.Compile(st, snap, s.gateway.Systems, binding)
	if err != nil || !settings.Apply {
		return p, err
	}
	if binding.SameSecrets, err = s.sameSecrets(ctx, p); err != nil || len(binding.SameSecrets) == 0 {
		return p, err
	}
	return bind.Compile(st, snap, s.gateway.Systems, binding)
}
