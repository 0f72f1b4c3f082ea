package session

import (
	"context"
	"errors"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/route"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// runAtHome runs a statement that turned out to be the home database's: as it is, or with three-part
// names replaced. In the extended protocol the home server prepared a stand-in, so it is run here.
func (s *Session) runAtHome(ctx context.Context, st *routed, d route.Decision, snap *catalog.Snapshot, e *execution) error {
	if d.Rows != route.NoRows {
		return s.runRows(ctx, st, d, snap)
	}
	h := plan.HomeStatement{SQL: st.text}
	if d.Route == route.HomeRewritten {
		rewrite, err := bind.HomeText(st.parsed, snap)
		if err != nil {
			return err
		}
		h = plan.HomeStatement{SQL: rewrite.Text(), Origin: rewrite}
	}
	return s.runText(ctx, st, h, e)
}

// runText runs a text in place of the client's statement, with the client's own rights.
func (s *Session) runText(ctx context.Context, st *routed, h plan.HomeStatement, e *execution) error {
	if e.portal == nil {
		return s.passOnText(ctx, st, h)
	}
	x := newExchange(s.client)
	x.keepTag = true
	x.show = func(f Frame) bool { return f.Type == 'N' || f.Type == 'D' }
	if err := s.addQuery(x, h.SQL, nil); err != nil {
		return err
	}
	err := s.backend.run(ctx, x, func() { s.cancelHome(context.WithoutCancel(ctx)) })
	if e, ok := errors.AsType[*sqlerr.Error](err); ok {
		return s.homeError(st, h, e)
	}
	s.held = CommandComplete{x.tag}
	return err
}

// homeError is an error of the home database about a statement that may have been rewritten.
func (s *Session) homeError(st *routed, h plan.HomeStatement, e *sqlerr.Error) error {
	if h.Origin != nil {
		return s.ownError(st, &h, e)
	}
	return e.At(int(shift(int32(e.Position), st))) //nolint:gosec // a position in a message
}
