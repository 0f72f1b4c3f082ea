package session

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/route"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// portal is a bound statement of ours.
type portal struct {
	statement *routed
	bind      BindRequest
	read      *reading                    // of a read that was begun and suspended
	fields    []pgproto3.FieldDescription // of a read
	lines     []string                    // of a plan that was shown in part
	done      bool                        // it cannot be run again
}

// runsOnce tells whether a portal of the statement is used up by its first Execute: what returns no rows
// of its own. Those of the home database are its to judge.
func (r *routed) runsOnce() bool {
	if r.verdict == controls || translate(r.parsed) != nil {
		return false
	}
	switch r.parsed.Extension.(type) {
	case *parse.Explain, *parse.ShowCreate:
		return false
	}
	return r.rows == nil || r.rows.read == nil
}

// parse deals with a Parse message. For a statement of ours the home server prepares one that stands for
// it under the same name: names, lifetimes, Describe and the failed state are then its own.
func (s *Session) parse(ctx context.Context, f Frame) error {
	req, err := s.client.Decode(f)
	if err != nil {
		return s.malformed(ctx, f, 'P', err)
	}
	p := req.(ParseRequest)
	if err := s.holdPrepared(ctx, p.Name, len(p.Text)); err != nil {
		return s.fail(ctx, err)
	}
	script, err := s.route(p.Text)
	if err != nil {
		return s.fail(ctx, err)
	}
	former, had := s.prepared[p.Name]
	delete(s.prepared, p.Name)
	if len(script.statements) != 1 || script.passOn && !script.controls {
		return s.forward(ctx, f, 'P')
	}
	st := script.statements[0]
	if st.verdict == controls {
		s.prepared[p.Name] = &st
		return s.forward(ctx, f, 'P')
	}
	if err := s.open(ctx); err != nil {
		return err
	}
	tx, failed, err := s.backend.drain()
	if err != nil || failed {
		return err
	}
	if tx == 'E' {
		// Whatever it is, it is refused: 25P02.
		return s.forward(ctx, f, 'P')
	}
	standIn, err := s.standIn(ctx, &st, p)
	if err != nil {
		return s.fail(ctx, err)
	}
	judged := &st
	if kept, ok := s.prepared[p.Name]; ok {
		judged = kept // a query whose views were replaced
	}
	if err := s.prepare(ctx, judged, p, standIn); !errors.Is(err, errAnswered) {
		return err
	}
	// The home server has kept what it had under the name.
	delete(s.prepared, p.Name)
	if had {
		s.prepared[p.Name] = former
	}
	return nil
}

// prepare has the home server prepare a stand-in; its errors are about the client's text.
func (s *Session) prepare(ctx context.Context, st *routed, p ParseRequest, standIn *plan.Rewrite) error {
	x := newExchange(s.client)
	x.show = func(f Frame) bool { return f.Type == '1' || f.Type == 'N' }
	x.edit = func(m *pgproto3.ErrorResponse) {
		hintNear(m, st)
		m.Position = int32(st.parsed.OriginalPosition(standIn, int(m.Position))) //nolint:gosec // a position in a message
	}
	m := &pgproto3.Parse{Name: p.Name, Query: standIn.Text(), ParameterOIDs: p.ParamTypes}
	if err := s.backend.addMessage(m, 'P', x); err != nil {
		return err
	}
	err := s.backend.run(ctx, x, func() { s.cancelHome(context.WithoutCancel(ctx)) })
	if err != nil && !errors.Is(err, errBackendGone) {
		return errAnswered
	}
	return err
}

// madeUp is a text that has nothing of the client's own in it.
func madeUp(text string) *plan.Rewrite {
	return plan.NewRewrite("", []plan.Edit{{Text: text}})
}

// explainStandIn has the shape of a plan.
const explainStandIn = `select ''::pg_catalog.text as "QUERY PLAN" limit 0`

// standIn finds out what a statement is and returns the text that the home server prepares for it. When
// that text is all there is to it, the session does not watch it further.
func (s *Session) standIn(ctx context.Context, st *routed, p ParseRequest) (*plan.Rewrite, error) {
	if query := translate(st.parsed); query != nil {
		return query, nil
	}
	switch st.parsed.Extension.(type) {
	case *parse.Explain:
		s.prepared[p.Name] = st
		return madeUp(explainStandIn), nil
	case *parse.ShowCreate:
		s.prepared[p.Name] = st
		return madeUp(showCreateStandIn), nil
	}
	if st.verdict == ours {
		s.prepared[p.Name] = st
		return madeUp(""), nil
	}
	if st.verdict == mistyped {
		return plan.NewRewrite(st.text, nil), nil
	}
	st, d, snap, err := s.decideThrough(ctx, st)
	switch {
	case err != nil:
		return nil, err
	case d.Route == route.Ours:
		s.prepared[p.Name] = st
		return madeUp(""), nil
	case d.Rows != route.NoRows:
		return s.standInForRows(st, p, d, snap)
	case d.Route == route.HomeRewritten:
		return bind.HomeText(st.parsed, snap)
	default:
		return plan.NewRewrite(st.text, nil), nil
	}
}

// bind deals with a Bind message.
func (s *Session) bind(ctx context.Context, f Frame) error {
	if err := s.holdPortal(ctx, f); err != nil {
		return s.fail(ctx, err)
	}
	if len(s.prepared) == 0 && len(s.portals) == 0 {
		return s.forward(ctx, f, 'B')
	}
	req, err := s.client.Decode(f)
	if err != nil {
		return s.malformed(ctx, f, 'B', err)
	}
	b := req.(BindRequest)
	st, ours := s.prepared[b.Statement]
	if b.Portal == "" {
		s.dropPortal(b.Portal) // one with a name has to be closed first
	}
	if !ours {
		return s.forward(ctx, f, 'B')
	}
	b.Params = copyValues(b.Params)
	p := &portal{statement: st, bind: b}
	if st.rows != nil {
		return s.bindRows(ctx, f, p)
	}
	s.portals[b.Portal] = p
	return s.forward(ctx, f, 'B')
}

// describe deals with a Describe message: the stand-in answers for statements of ours, but for the
// portal of a read, which the home server does not have.
func (s *Session) describe(ctx context.Context, f Frame) error {
	if len(s.portals) == 0 {
		return s.forward(ctx, f, 'D')
	}
	req, err := s.client.Decode(f)
	if err != nil {
		return s.malformed(ctx, f, 'D', err)
	}
	d := req.(DescribeRequest)
	p, ours := s.portals[d.Name]
	if d.Kind == 'P' && ours && p.statement.rows != nil {
		if _, failed, err := s.backend.drain(); err != nil || failed {
			return err
		}
		return s.describeRows(p)
	}
	return s.forward(ctx, f, 'D')
}

// execute deals with an Execute message.
func (s *Session) execute(ctx context.Context, f Frame) error {
	if s.tx.write != nil {
		if _, failed, err := s.backend.drain(); err != nil || failed {
			return err
		}
		if err := s.aloneWith(); err != nil {
			return s.fail(ctx, err)
		}
	}
	if len(s.portals) == 0 {
		s.tx.executed++
		return s.forward(ctx, f, 'E')
	}
	req, err := s.client.Decode(f)
	if err != nil {
		return s.malformed(ctx, f, 'E', err)
	}
	e := req.(ExecuteRequest)
	p, ours := s.portals[e.Portal]
	if !ours {
		s.tx.executed++
		return s.forward(ctx, f, 'E')
	}
	if p.statement.verdict == controls && len(s.tx.staged) == 0 && p.statement.control.kind != closeStatements {
		s.tx.controlled(p.statement.control)
		return s.forward(ctx, f, 'E')
	}
	_, failed, err := s.backend.drain()
	if err != nil || failed {
		return err
	}
	if p.done {
		return s.fail(ctx, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "portal \"%s\" cannot be run", e.Portal))
	}
	p.done = p.statement.runsOnce()
	if err := s.runStatement(ctx, p.statement, &execution{portal: p, frame: f, maxRows: e.MaxRows}); err != nil {
		return s.fail(ctx, err)
	}
	s.tx.executed++
	return nil
}

// closeNamed deals with a Close message.
func (s *Session) closeNamed(ctx context.Context, f Frame) error {
	s.release(f)
	if len(s.prepared) == 0 && len(s.portals) == 0 {
		return s.forward(ctx, f, 'C')
	}
	req, err := s.client.Decode(f)
	if err != nil {
		return s.malformed(ctx, f, 'C', err)
	}
	c := req.(CloseRequest)
	if c.Kind == 'S' {
		delete(s.prepared, c.Name)
		return s.forward(ctx, f, 'C')
	}
	s.dropPortal(c.Name)
	return s.forward(ctx, f, 'C')
}

// dropPortal forgets a portal of ours; it may not exist.
func (s *Session) dropPortal(name string) {
	if p, ours := s.portals[name]; ours {
		p.close()
		delete(s.portals, name)
	}
}

// sync deals with a Sync message: it commits an implicit transaction, so external work that waits for
// the commit is done first.
func (s *Session) sync(ctx context.Context, f Frame) error {
	s.skip = false
	if s.backend == nil {
		return s.client.Send(Ready{'I'})
	}
	if len(s.tx.staged) > 0 || s.tx.write != nil {
		tx, failed, err := s.backend.drain()
		if err != nil {
			return err
		}
		switch {
		case failed:
			s.staleAfterError(tx)
		case len(s.tx.staged) > 0 && !s.tx.inBlock(tx):
			return s.syncCommit(ctx)
		}
	}
	if err := s.writePending(ctx); err != nil {
		if err := s.fail(ctx, err); err != nil {
			return err
		}
		s.skip = false
	}
	if err := s.releaseHeld(); err != nil {
		return err
	}
	s.closePortals()
	s.tx.settled()
	return s.forward(ctx, f, 'S')
}

// syncCommit commits an implicit transaction with staged work at a Sync.
func (s *Session) syncCommit(ctx context.Context) error {
	last := &s.tx.staged[len(s.tx.staged)-1]
	last.alone = len(s.tx.staged) == 1 && s.tx.executed == 1
	err := s.commitPoint(ctx, nil)
	if err != nil {
		if err := s.fail(ctx, err); err != nil {
			return err
		}
	}
	s.skip = false
	if err := s.releaseHeld(); err != nil {
		return err
	}
	s.closePortals()
	if s.readySent {
		s.readySent = false
		return nil
	}
	return s.forwardSync()
}

// staleAfterError forgets staged work that an error takes back: all of it in an implicit transaction; in
// a block it stays until the block is rolled back, to a savepoint perhaps.
func (s *Session) staleAfterError(tx byte) {
	if !s.tx.inBlock(tx) {
		s.tx.discard()
	}
}

// closePortals forgets our portals at the end of a transaction.
func (s *Session) closePortals() {
	tx := s.backend.state()
	if s.tx.inBlock(tx) {
		return
	}
	for name := range s.portals {
		s.dropPortal(name)
	}
}

// releaseHeld sends the CommandComplete that was held back until the work behind it is done or is known
// to wait for a later commit.
func (s *Session) releaseHeld() error {
	if s.held == nil {
		return nil
	}
	held := s.held
	s.held = nil
	return s.client.Send(held)
}
