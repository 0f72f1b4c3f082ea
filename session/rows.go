package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/route"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// rowsPlan is a prepared statement that moves rows of a managed table: exactly one of the two is set.
type rowsPlan struct {
	read  *bind.Read
	write *bind.Write
	types []uint32 // of the parameters, as the client gave them
}

// planRows plans a SELECT or INSERT of a managed table.
func planRows(st *routed, d route.Decision, snap *catalog.Snapshot) (*rowsPlan, *plan.Rewrite, error) {
	if d.Rows == route.WritesRows {
		w, err := bind.WritePlan(st.parsed, snap)
		if err != nil {
			return nil, nil, err
		}
		return &rowsPlan{write: w}, w.Home, nil
	}
	r, err := bind.ReadPlan(st.parsed, snap)
	if err != nil {
		return nil, nil, err
	}
	return &rowsPlan{read: r}, r.Home, nil
}

// standInForRows prepares the statement over the shadow: types, parameters and errors are home's.
func (s *Session) standInForRows(st *routed, p ParseRequest, d route.Decision, snap *catalog.Snapshot) (*plan.Rewrite, error) {
	rows, shadow, err := planRows(st, d, snap)
	if err != nil {
		return nil, err
	}
	rows.types = p.ParamTypes
	prepared := *st
	prepared.rows = rows
	s.prepared[p.Name] = &prepared
	return shadow, nil
}

// runRows runs a SELECT or INSERT of a managed table in a Query. The statement over the shadow is
// prepared first, for the home server's own judgement of it.
func (s *Session) runRows(ctx context.Context, st *routed, d route.Decision, snap *catalog.Snapshot) error {
	rows, shadow, err := planRows(st, d, snap)
	if err != nil {
		return err
	}
	x := newExchange(s.client)
	err = s.backend.addAll(x,
		outgoing{&pgproto3.Close{ObjectType: 'P', Name: ownName}, 'C'},
		outgoing{&pgproto3.Close{ObjectType: 'S', Name: ownName}, 'C'},
		outgoing{&pgproto3.Parse{Name: ownName, Query: shadow.Text()}, 'P'},
		outgoing{&pgproto3.Close{ObjectType: 'S', Name: ownName}, 'C'},
	)
	if err != nil {
		return err
	}
	if err := s.backend.run(ctx, x, func() {}); err != nil {
		return s.rewrittenError(st, shadow, err)
	}
	if rows.write != nil {
		return s.insert(ctx, rows, BindRequest{})
	}
	r := &reading{session: s, plan: rows.read, describe: true}
	defer r.close()
	if err := s.beginRead(ctx, r); err != nil {
		return err
	}
	if _, err := r.run(ctx, 0); err != nil {
		return err
	}
	s.held = CommandComplete{fmt.Sprintf("SELECT %d", r.sent)}
	return nil
}

// rewrittenError gives an error of the home database a position in the client's text.
func (s *Session) rewrittenError(st *routed, shadow *plan.Rewrite, err error) error {
	if e, ok := errors.AsType[*sqlerr.Error](err); ok {
		return e.At(st.parsed.OriginalPosition(shadow, e.Position))
	}
	return err
}

// bindRows answers Bind for a statement that moves rows: the home server could not plan it.
func (s *Session) bindRows(ctx context.Context, p *portal) error {
	tx, failed, err := s.backend.drain()
	if err != nil || failed {
		return err
	}
	if tx == 'E' {
		return s.fail(ctx, sqlerr.New(sqlerr.InFailedSQLTransaction,
			"current transaction is aborted, commands ignored until end of transaction block"))
	}
	x := newExchange(s.client)
	if err := s.backend.addMessage(&pgproto3.Describe{ObjectType: 'S', Name: p.bind.Statement}, 'd', x); err != nil {
		return err
	}
	if err := s.backend.run(ctx, x, func() {}); err != nil {
		return s.fail(ctx, err) // the home server does not know the name any more
	}
	if x.params != len(p.bind.Params) {
		return s.fail(ctx, sqlerr.New(sqlerr.ProtocolViolation,
			"bind message supplies %d parameters, but prepared statement \"%s\" requires %d", len(p.bind.Params), p.bind.Statement, x.params))
	}
	if p.statement.rows.read != nil {
		p.read = &reading{session: s, plan: p.statement.rows.read, bind: p.bind, types: p.statement.rows.types}
	}
	return s.client.Send(BindComplete{})
}

// describeRows answers Describe for the portal of a statement that moves rows: the shape is that of the
// prepared statement, in the formats of the portal's Bind.
func (s *Session) describeRows(ctx context.Context, p *portal) error {
	if p.read == nil {
		return s.client.Send(NoData{})
	}
	x := newExchange(s.client)
	if err := s.backend.addMessage(&pgproto3.Describe{ObjectType: 'S', Name: p.bind.Statement}, 'd', x); err != nil {
		return err
	}
	if err := s.backend.run(ctx, x, func() {}); err != nil {
		return s.fail(ctx, err)
	}
	for i := range x.fields {
		x.fields[i].Format = formatOf(p.bind.ResultFormats, i)
	}
	body, err := encodeBody(&pgproto3.RowDescription{Fields: x.fields})
	if err != nil {
		return err
	}
	return s.client.Forward(Frame{Type: 'T', Body: body})
}

// runPortal runs an Execute on a portal that moves rows.
func (s *Session) runPortal(ctx context.Context, e *execution) error {
	p := e.portal
	if p.read == nil {
		return s.insert(ctx, p.statement.rows, p.bind)
	}
	if !p.read.started {
		if err := s.beginRead(ctx, p.read); err != nil {
			return err
		}
	}
	suspended, err := p.read.run(ctx, e.maxRows)
	if err != nil {
		return err
	}
	if suspended {
		return s.client.Send(PortalSuspended{})
	}
	p.read.close()
	s.held = CommandComplete{fmt.Sprintf("SELECT %d", p.read.sent)}
	return nil
}

func (p *portal) close() { p.read.close() }
