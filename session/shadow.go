package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home"
)

// runHome runs the plan's statements in the home database, each with its ticket.
func (s *Session) runHome(ctx context.Context, st *routed, p *plan.Plan, staged *stagedStatement) error {
	if makesShadow(p) {
		return s.makeShadow(ctx, st, p, staged)
	}
	for i := range p.Home {
		if err := s.runHomeStatement(ctx, st, &p.Home[i]); err != nil {
			return err
		}
	}
	if p.Relation != 0 {
		return s.changeShadow(ctx, p, staged)
	}
	if n := len(p.Steps); n > 0 && p.Steps[n-1].Action == plan.Create && p.Steps[n-1].Target.Kind == plan.SchemaKind {
		return s.noteSchema(ctx, p.Steps[n-1].Target.Name, staged)
	}
	return nil
}

// ticketQuery sets the ticket of the statement that follows in the same transaction.
const ticketQuery = "select pg_catalog.set_config('tablewright.ticket', $1, true)"

// runHomeStatement runs one statement. The one that stands for the client's own shows its notices and
// errors, with positions in the text that the client sent.
func (s *Session) runHomeStatement(ctx context.Context, st *routed, h *plan.HomeStatement) error {
	s.tx.touched = true
	x := newExchange(s.client)
	if h.Own {
		x.keepTag = true
		x.show = func(f Frame) bool { return f.Type == 'N' }
	}
	add := s.addQuery
	if h.Ticket {
		add = s.addTicketed
	}
	if err := add(x, h.SQL, nil); err != nil {
		return err
	}
	_, err := s.collect(ctx, x)
	if e, ok := errors.AsType[*sqlerr.Error](err); ok && h.Own {
		return s.ownError(st, h, e)
	}
	return withoutPosition(err)
}

// addTicketed is addQuery with the ticket of the statement before it.
func (s *Session) addTicketed(x *exchange, sql string, args [][]byte) error {
	ticket := s.home.Ticket(s.backend.link.PID, sql)
	if err := s.addQuery(x, ticketQuery, texts(ticket)); err != nil {
		return err
	}
	return s.addQuery(x, sql, args)
}

// ownError is an error of the home database about the client's statement: its position is one of the
// client's text.
func (s *Session) ownError(st *routed, h *plan.HomeStatement, e *sqlerr.Error) error {
	return e.At(st.parsed.OriginalPosition(h.Origin, e.Position))
}

// makesShadow tells whether the last step of a plan makes the table whose shadow its statements at home make.
func makesShadow(p *plan.Plan) bool {
	if p.Relation != 0 || len(p.Home) == 0 || len(p.Steps) == 0 {
		return false
	}
	step := p.Steps[len(p.Steps)-1]
	return step.Action == plan.Create && step.Target.Kind == plan.TableKind && p.Home[len(p.Home)-1].Own
}

// makeShadow runs the statement that makes a shadow, behind what has to go before, and tells the registry what it
// stands for. Until the work outside is done its state says so, whatever becomes of this session; with a statement that
// is all of its transaction that is told with the commit.
func (s *Session) makeShadow(ctx context.Context, st *routed, p *plan.Plan, staged *stagedStatement) error {
	last := len(p.Home) - 1
	for i := range last {
		if err := s.runHomeStatement(ctx, st, &p.Home[i]); err != nil {
			return err
		}
	}
	s.tx.touched = true
	x := newExchange(s.client)
	x.keepTag, x.gather = true, true
	own, before := &p.Home[last], 0
	add := s.addQuery
	if own.Ticket {
		add, before = s.addTicketed, 1
	}
	x.show = func(f Frame) bool { return f.Type == 'N' && x.completed <= before }
	if err := add(x, own.SQL, nil); err != nil {
		return err
	}
	if err := s.addRegistration(x, p, staged); err != nil {
		return err
	}
	r, err := s.collect(ctx, x)
	if e, ok := errors.AsType[*sqlerr.Error](err); ok && x.completed == before {
		return s.ownError(st, own, e)
	}
	if err != nil {
		return withoutPosition(err)
	}
	oid, err := strconv.ParseUint(string(r.Rows[before][0]), 10, 32)
	if err != nil {
		return fmt.Errorf("shadow of %s: %w", p.Target, err)
	}
	staged.relation = uint32(oid)
	staged.homeXID, err = strconv.ParseUint(string(r.Rows[len(r.Rows)-1][0]), 10, 64)
	return err
}

// addRegistration adds what is asked and told behind the statement that makes a shadow: its OID first, the id of the
// transaction last.
func (s *Session) addRegistration(x *exchange, p *plan.Plan, staged *stagedStatement) error {
	name := p.Steps[len(p.Steps)-1].Target.Name.HomeString()
	if err := s.addQuery(x, "select pg_catalog.to_regclass($1)::pg_catalog.oid", texts(name)); err != nil {
		return err
	}
	patch := registration(p, staged)
	if s.sole {
		staged.patch, staged.ready = &patch, true
		if err := s.addQuery(x, beforeCommitQuery, nil); err != nil {
			return err
		}
		return s.addQuery(x, xidQuery, nil)
	}
	sql, err := patch.Statement(name)
	if err != nil {
		return err
	}
	if err := s.addTicketed(x, sql, nil); err != nil {
		return err
	}
	return s.addQuery(x, xidQuery, nil)
}

// registration is what the registry must know of a new shadow.
func registration(p *plan.Plan, staged *stagedStatement) home.RelationPatch {
	step := p.Steps[len(p.Steps)-1]
	job, table := staged.jobID.String(), step.Target.Table
	keys := table.ForeignKeys()
	return home.RelationPatch{
		Path: step.Target.Path, State: "provisioning", JobID: &job,
		Options: &table.Options, Partitioning: &table.Partitioning, ForeignKeys: &keys,
	}
}

// noteSchema keeps which home schema the statement has made, should what it stands for not come about.
func (s *Session) noteSchema(ctx context.Context, name catalog.Name, staged *stagedStatement) error {
	text, err := s.QueryText(ctx, "select oid from pg_catalog.pg_namespace where nspname operator(pg_catalog.=) $1", name.HomeSchema())
	if err != nil {
		return err
	}
	oid, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return fmt.Errorf("home schema of %s: %w", name, err)
	}
	staged.schema = uint32(oid)
	return nil
}

// changeShadow tells the registry what a changed shadow stands for. While a job changes the object outside
// the shadow's state says so.
func (s *Session) changeShadow(ctx context.Context, p *plan.Plan, staged *stagedStatement) error {
	patch := home.RelationPatch{}
	if c := p.Shadow; c != nil {
		patch = home.RelationPatch{Path: c.Path, Observed: c.Managed, Options: c.Options, ForeignKeys: c.ForeignKeys}
	}
	for _, c := range p.Referrers {
		sql, err := home.RelationPatch{ForeignKeys: c.ForeignKeys}.Statement(c.Relation)
		if err != nil {
			return err
		}
		if err := s.runHomeStatement(ctx, nil, &plan.HomeStatement{SQL: sql, Ticket: true}); err != nil {
			return err
		}
	}
	slow := slices.ContainsFunc(p.Steps, func(step plan.Step) bool { return step.Path == plan.Slow })
	if slow {
		job := staged.jobID.String()
		patch.State, patch.JobID = "altering", &job
		staged.relation = p.Relation
	} else if p.Shadow.Empty() {
		return nil
	}
	sql, err := patch.Statement(p.Shadow.Relation)
	if err != nil {
		return err
	}
	return s.runHomeStatement(ctx, nil, &plan.HomeStatement{SQL: sql, Ticket: true})
}
