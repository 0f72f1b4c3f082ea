package session

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/route"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// simpleQuery deals with a Query message. One without a statement of ours goes home untouched; otherwise
// its statements are run one by one as one pipeline, which is the implicit transaction that PostgreSQL
// makes of it.
func (s *Session) simpleQuery(ctx context.Context, f Frame) error {
	req, err := s.client.Decode(f)
	if err != nil {
		return s.malformed(ctx, f, 'Q', err)
	}
	query := req.(QueryRequest)
	script, err := s.route(query.Text)
	if err != nil {
		return s.refuseQuery(ctx, err)
	}
	if script.passOn && !s.watches(script) {
		s.tx.settled()
		return s.forward(ctx, f, 'Q')
	}
	if script, err = s.readWhole(query.Text, script); err != nil {
		return s.refuseQuery(ctx, err)
	}
	if err := s.open(ctx); err != nil {
		return err
	}
	tx, failed, err := s.backend.drain()
	if err != nil || failed {
		return err // while the server skips to a Sync it answers no Query
	}
	if !s.tx.inBlock(tx) {
		// A Query behind a pipeline without Sync commits what that did.
		if err := s.commitPipeline(ctx); err != nil {
			return s.endQuery(ctx, err)
		}
	}
	if passed, err := s.passOnWhole(ctx, f, script); passed || err != nil {
		if err != nil {
			return s.endQuery(ctx, err)
		}
		return nil
	}
	return s.endQuery(ctx, s.runScript(ctx, script))
}

// watches tells whether the session must see each statement of a Query that is the home database's alone.
func (s *Session) watches(script script) bool {
	if len(s.tx.staged) > 0 || s.tx.write != nil || len(s.portals) > 0 {
		return true
	}
	return script.forgets && len(s.prepared) > 0
}

// passOnWhole forwards a Query whose names turn out to mean nothing managed, as it came: statements that must
// be alone (VACUUM), COPY and what PostgreSQL makes of several statements then are as without us.
func (s *Session) passOnWhole(ctx context.Context, f Frame, script script) (bool, error) {
	tx := s.backend.state()
	several := len(script.statements) > 1
	switch {
	case len(script.statements) == 0, s.tx.executed > 0, !several && script.statements[0].verdict != asks, several && tx != 'I':
		return false, nil
	case tx == 'E':
		s.tx.settled()
		return true, s.forward(ctx, f, 'Q')
	case several:
		if whole, err := s.passesWhole(ctx, script); err != nil || !whole {
			return false, err
		}
	default:
		st := &script.statements[0]
		found, d, snap, err := s.decideThrough(ctx, st)
		if err != nil || d.Route != route.Home {
			st.decided = &decided{statement: found, decision: d, snap: snap}
			return false, err
		}
	}
	if tx == 'I' {
		x := newExchange(s.client)
		if err := s.backend.addMessage(&pgproto3.Sync{}, 'S', x); err != nil {
			return false, err
		}
		if err := s.backend.run(ctx, x, func() {}); err != nil {
			return false, err
		}
	}
	s.tx.settled()
	return true, s.forward(ctx, f, 'Q')
}

// commitPipeline commits what a pipeline has done that no Sync has ended. No ReadyForQuery is sent for it.
func (s *Session) commitPipeline(ctx context.Context) error {
	if err := s.releaseHeld(); err != nil {
		return err
	}
	if err := s.writePending(ctx); err != nil {
		return err
	}
	if len(s.tx.staged) == 0 {
		return nil
	}
	s.noReady = true
	defer func() { s.noReady = false }()
	return s.commitPoint(ctx, nil)
}

// refuseQuery answers a Query whose text cannot be taken: nothing of it runs.
func (s *Session) refuseQuery(ctx context.Context, err error) error {
	if s.backend == nil {
		if err := s.fail(ctx, err); err != nil {
			return err
		}
		s.skip = false
		return s.client.Send(Ready{'I'})
	}
	_, failed, drainErr := s.backend.drain()
	if drainErr != nil || failed {
		return drainErr
	}
	return s.endQuery(ctx, err)
}

// runScript runs the statements of a Query, up to the first error.
func (s *Session) runScript(ctx context.Context, script script) error {
	if len(script.statements) == 0 {
		return s.client.Send(EmptyQuery{})
	}
	if err := s.parsedWhole(ctx, script); err != nil {
		return err
	}
	alone := len(script.statements) == 1 && s.tx.executed == 0
	s.inScript, s.sole = len(script.statements) > 1, alone && !s.tx.inBlock(s.backend.state())
	defer func() { s.inScript, s.sole = false, false }()
	for i := range script.statements {
		if err := s.releaseHeld(); err != nil {
			return err
		}
		if err := s.runStatement(ctx, &script.statements[i], &execution{}); err != nil {
			return err
		}
		s.tx.executed++
	}
	tx := s.backend.state()
	if len(s.tx.staged) > 0 && !s.tx.inBlock(tx) {
		s.tx.staged[len(s.tx.staged)-1].alone = alone
		return s.commitPoint(ctx, nil)
	}
	return s.writePending(ctx)
}

// parsedWhole looks, before the first of several statements runs, whether the home server can read those
// that our parser could not: an error of syntax in one means that none of them runs.
func (s *Session) parsedWhole(ctx context.Context, script script) error {
	if len(script.statements) == 1 {
		return nil
	}
	for i := range script.statements {
		st := &script.statements[i]
		if st.parsed.Err == nil {
			continue
		}
		x := newExchange(s.client)
		x.show = func(f Frame) bool { return f.Type == 'N' }
		x.edit = func(m *pgproto3.ErrorResponse) { m.Position = shift(m.Position, st) }
		err := s.backend.addAll(x,
			outgoing{&pgproto3.Close{ObjectType: 'S', Name: ownName}, 'C'},
			outgoing{&pgproto3.Parse{Name: ownName, Query: st.text}, 'P'},
			outgoing{&pgproto3.Close{ObjectType: 'S', Name: ownName}, 'C'},
		)
		if err != nil {
			return err
		}
		if err := s.backend.run(ctx, x, func() {}); errors.Is(err, errBackendGone) {
			return err
		} else if err != nil {
			return errAnswered
		}
	}
	return nil
}

// endQuery answers the error of a Query, if there is one, and ends it with ReadyForQuery.
func (s *Session) endQuery(ctx context.Context, err error) error {
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
	// The client's unnamed statement does not outlive a Query.
	if err := s.backend.addMessage(&pgproto3.Close{ObjectType: 'S'}, 'C', newExchange(s.client)); err != nil {
		return err
	}
	return s.forwardSync()
}

// forwardSync ends what is open with a Sync whose ReadyForQuery the client is sent.
func (s *Session) forwardSync() error {
	s.tx.settled()
	return s.backend.addMessage(&pgproto3.Sync{}, 'S', nil)
}

// passOnStatement runs one statement of a Query that is not ours, with its messages shown to the client.
func (s *Session) passOnStatement(ctx context.Context, st *routed) error {
	return s.passOnText(ctx, st, plan.HomeStatement{SQL: st.text})
}

// passOnText is passOnStatement for a text that may have been rewritten.
func (s *Session) passOnText(ctx context.Context, st *routed, h plan.HomeStatement) error {
	x := newExchange(s.client)
	x.show = func(f Frame) bool {
		switch f.Type {
		case '1', '2', '3', 'n':
			return false
		default:
			return true
		}
	}
	x.edit = func(m *pgproto3.ErrorResponse) {
		hintNear(m, st)
		if h.Origin != nil {
			m.Position = int32(st.parsed.OriginalPosition(h.Origin, int(m.Position))) //nolint:gosec // a position in a message
		} else {
			m.Position = shift(m.Position, st)
		}
		placeJob(m, st)
	}
	err := s.backend.addAll(x,
		outgoing{&pgproto3.Parse{Query: h.SQL}, 'P'},
		outgoing{&pgproto3.Bind{}, 'B'},
		outgoing{&pgproto3.Describe{ObjectType: 'P'}, 'D'},
		outgoing{&pgproto3.Execute{}, 'E'},
	)
	if err != nil {
		return err
	}
	err = s.runWithCopy(ctx, x)
	if err != nil && !errors.Is(err, errBackendGone) {
		return errAnswered
	}
	return err
}

// hintNear adds to a syntax error of the home server what the statement may have been meant to be.
func hintNear(m *pgproto3.ErrorResponse, st *routed) {
	if st.verdict == mistyped && m.Code == sqlerr.SyntaxError && m.Hint == "" {
		m.Hint = st.parsed.Err.Hint
	}
}

// shift moves an error's position from the statement's own text to the text that the client sent.
func shift(position int32, st *routed) int32 {
	if position <= 0 {
		return position
	}
	return position + int32(st.parsed.Position(0)-1) //nolint:gosec // bounded by the longest message
}
