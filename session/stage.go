package session

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/route"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/deploy"
)

// runDDL carries a DDL statement of ours out as far as the home database: planned, checked against the
// live systems and run in the shadow, inside the client's transaction. What it means outside is staged
// until that transaction commits.
func (s *Session) runDDL(ctx context.Context, st *routed, e *execution) error {
	found, err := s.find(ctx, st)
	if err != nil {
		return err
	}
	wishes := wishes(found.snap.Settings)
	settings, err := wishes.parse(nil)
	if err != nil {
		return err
	}
	p, elsewhere, err := s.planFound(ctx, found, settings)
	switch {
	case err != nil:
		return err
	case elsewhere != nil:
		return elsewhere(e)
	}
	if settings, err = wishes.parse(p.Settings); err != nil {
		return err
	}
	if done, err := s.onlyPlanned(ctx, p, settings); done || err != nil {
		return err
	}
	if err := s.allowedNow(p, settings); err != nil {
		return err
	}
	if s.autocommits(settings) {
		return s.runAndCommit(ctx, st, e, settings)
	}
	if done, err := s.runPresent(ctx, p, settings); done || err != nil {
		return err
	}
	return s.runStaged(ctx, st, e, p, settings)
}

// runStaged takes the lock of what the statement is about and stages it.
func (s *Session) runStaged(ctx context.Context, st *routed, e *execution, p *plan.Plan, settings deploy.Settings) error {
	seen, err := s.lock(ctx, p)
	if err != nil {
		return err
	}
	if err := s.notStaged(p); err != nil {
		return err
	}
	if p.Whole || !seen.idle() {
		if err := s.gateway.Deployer.Settle(ctx, settled(p), p.Waits, settings, sessionNotifier{s, settings.ClientMinMessages}); err != nil {
			return err
		}
	}
	p, elsewhere, err := s.planAgain(ctx, st, settings, p, seen)
	switch {
	case err != nil:
		return err
	case elsewhere != nil:
		return elsewhere(e)
	}
	if err := expected(p, settings); err != nil {
		return err
	}
	return s.stage(ctx, st, p, settings)
}

// find finds out what a statement is about.
func (s *Session) find(ctx context.Context, st *routed) (decided, error) {
	found, d, snap, err := s.decideThrough(ctx, st)
	return decided{statement: found, decision: d, snap: snap}, err
}

// planDDL makes the plan of a statement, or tells how it runs elsewhere when it names nothing managed.
func (s *Session) planDDL(ctx context.Context, st *routed, settings deploy.Settings) (*plan.Plan, func(*execution) error, error) {
	found, err := s.find(ctx, st)
	if err != nil {
		return nil, nil, err
	}
	return s.planFound(ctx, found, settings)
}

// planFound is planDDL of a statement that is known.
func (s *Session) planFound(ctx context.Context, found decided, settings deploy.Settings) (*plan.Plan, func(*execution) error, error) {
	decision := found.decision
	if decision.Route == route.Ours {
		p, err := s.compile(ctx, found.statement.parsed, found.snap, settings)
		if !errors.Is(err, errNotManaged) {
			return p, nil, err
		}
		decision = route.Decision{Route: route.Home}
	}
	return nil, func(e *execution) error { return s.runAtHome(ctx, found.statement, decision, found.snap, e) }, nil
}

// stage checks a plan against the live systems, runs it in the shadow and keeps the rest for the commit.
func (s *Session) stage(ctx context.Context, st *routed, p *plan.Plan, settings deploy.Settings) error {
	if p.WaitJob != "" {
		if err := s.waitForOther(ctx, p, settings); err != nil {
			return err
		}
	}
	if err := s.mayOpen(ctx, p); err != nil {
		return err
	}
	if err := s.gateway.Secrets.Save(ctx, p.Secrets); err != nil {
		return err
	}
	staged := stagedStatement{plan: p, settings: settings, jobID: uuid.Must(uuid.NewV7()), retryOf: s.retryOf}
	err := s.gateway.Deployer.Check(ctx, p, s.tx.plans())
	if err == nil {
		p.Record = p.Record && (len(p.Steps) > 0 || !p.Unchanged)
		err = s.runHome(ctx, st, p, &staged)
	}
	if err == nil && p.Discover != nil {
		err = s.discover(ctx, p, settings)
	}
	if err != nil {
		s.tx.abandon([]stagedStatement{staged})
		return err
	}
	if p.Unchanged && len(p.Steps) == 0 {
		p.Notices = []plan.Notice{{Severity: "NOTICE", Code: sqlerr.SuccessfulCompletion, Message: "\"" + p.Target + "\" is unchanged"}}
	}
	for _, n := range p.Notices {
		if err := s.notify(n, settings.ClientMinMessages); err != nil {
			return err
		}
	}
	if p.Record {
		// The id tells, at the commit, that it is still this transaction's.
		if staged.homeXID == 0 {
			if staged.homeXID, err = s.homeXID(ctx); err != nil {
				return err
			}
		}
		s.tx.staged = append(s.tx.staged, staged)
		s.tx.forgetDropped(p)
	}
	s.remember(p)
	s.held = CommandComplete{p.Tag}
	return nil
}

// remember notes names that the statement has made: the rest of this session sees them at once, others
// when they are committed.
func (s *Session) remember(p *plan.Plan) {
	for _, name := range p.Made {
		s.own.relations[name.Table] = struct{}{}
	}
	names := slices.Clone(p.Named)
	for _, step := range p.Steps {
		names = append(names, step.Target.Name)
	}
	for _, name := range names {
		if name.Table != "" {
			s.own.relations[name.Table] = struct{}{}
		}
		s.own.schemas[name.Catalog] = struct{}{}
		s.own.schemas[name.HomeSchema()] = struct{}{}
	}
}

// unsupported refuses what is understood but has no effect yet.
func unsupported(p *plan.Plan) error {
	if _, ok := p.Settings.Get("on_failure"); ok {
		return sqlerr.New(sqlerr.FeatureNotSupported, "parameter \"on_failure\" is not supported").
			WithDetail("What a job that fails has made is always undone.")
	}
	return nil
}

// allowedNow refuses what a transaction block cannot hold.
func (s *Session) allowedNow(p *plan.Plan, settings deploy.Settings) error {
	if err := unsupported(p); err != nil {
		return err
	}
	tx := s.backend.state()
	if !s.tx.inBlock(tx) || settings.Rehearse {
		return nil
	}
	switch settings.DDLInTransaction {
	case "refuse":
		return sqlerr.New(sqlerr.ActiveSQLTransaction, "%s cannot run inside a transaction block", p.Tag).
			WithHint("tablewright.ddl_in_transaction is refuse.")
	case "autocommit":
		return nil
	}
	for _, step := range p.Steps {
		if step.Path == plan.Slow && (step.Destructive || step.Action == plan.Alter) {
			return sqlerr.New(sqlerr.ActiveSQLTransaction, "%s of \"%s\" cannot run inside a transaction block", p.Tag, p.Target).
				WithDetail("Catalog \"%s\" carries it out as a job, which may take long and cannot be undone.", step.Catalog.Name).
				WithHint("Run the statement by itself.")
		}
	}
	return nil
}

// notify sends a notice, unless the client asked not to see its level.
func (s *Session) notify(n plan.Notice, minimum string) error {
	if severityRank(n.Severity) < severityRank(minimum) {
		return nil
	}
	if err := s.client.Send(NoticeReply{n}); err != nil {
		return err
	}
	return s.client.Flush()
}
