package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	// readers are the roles with whose rights the table is read; nil: the session's own.
	readers []string
}

// planRows plans a SELECT or INSERT of a managed table.
func (s *Session) planRows(st *routed, d route.Decision, snap *catalog.Snapshot) (*rowsPlan, *plan.Rewrite, error) {
	if d.Rows == route.WritesRows {
		w, err := bind.WritePlan(st.parsed, snap, s.tx.jobs())
		if err != nil {
			return nil, nil, err
		}
		return &rowsPlan{write: w}, w.Home, nil
	}
	r, err := bind.ReadPlan(st.parsed, snap, s.tx.jobs())
	if err != nil {
		return nil, nil, err
	}
	shadow := r.Home
	if len(st.readers) > 0 && !slices.Contains(st.readers, "") {
		// Whoever reads through a view needs no right on the table, nor on its schema.
		shadow = r.Query(emptySource(r.Columns))
	}
	return &rowsPlan{read: r, readers: st.readers}, shadow, nil
}

// emptySource is a subquery that has the columns of a table and no rows.
func emptySource(columns []catalog.Column) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = "null::" + c.Type + " AS " + catalog.QuoteIdent(c.Name)
	}
	return "(SELECT " + strings.Join(list, ", ") + " WHERE false)"
}

// standInForRows prepares the statement over the shadow: types, parameters and errors are home's.
func (s *Session) standInForRows(st *routed, p ParseRequest, d route.Decision, snap *catalog.Snapshot) (*plan.Rewrite, error) {
	rows, shadow, err := s.planRows(st, d, snap)
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
	rows, shadow, err := s.planRows(st, d, snap)
	if err != nil {
		return err
	}
	x := newExchange(s.client)
	err = s.backend.addAll(x,
		outgoing{&pgproto3.Close{ObjectType: 'P', Name: ownName}, 'C'},
		outgoing{&pgproto3.Close{ObjectType: 'S', Name: ownName}, 'C'},
		outgoing{&pgproto3.Parse{Name: ownName, Query: shadow.Text()}, 'P'},
		outgoing{&pgproto3.Describe{ObjectType: 'S', Name: ownName}, 'd'},
		outgoing{&pgproto3.Close{ObjectType: 'S', Name: ownName}, 'C'},
	)
	if err != nil {
		return err
	}
	if err := s.backend.run(ctx, x, func() {}); err != nil {
		return s.rewrittenError(st, shadow, err)
	}
	if rows.write != nil {
		return s.insert(ctx, st, rows, BindRequest{})
	}
	r := &reading{session: s, plan: rows.read, readers: rows.readers, describe: x.fields}
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

// bindRows answers Bind for a statement that moves rows: the home server could not plan it. What the names
// in it mean is looked at again, as PostgreSQL does; the home server judges the rest by a portal of the
// client's name, which then lives as long as PostgreSQL's own would.
func (s *Session) bindRows(ctx context.Context, f Frame, p *portal) error {
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
		return s.fail(ctx, err) // the name is not known any more, or the table has changed
	}
	st, d, snap, err := s.decideThrough(ctx, p.statement)
	if err != nil {
		return s.fail(ctx, err)
	}
	if d.Rows == route.NoRows {
		return s.forward(ctx, f, 'B') // the name is one of the home database's by now
	}
	fresh, _, err := s.planRows(st, d, snap)
	if err != nil {
		return s.fail(ctx, err)
	}
	fresh.types = p.statement.rows.types
	statement := *st
	statement.rows = fresh
	p.statement, p.fields = &statement, x.fields
	if err := s.bindParameters(ctx, p, x.params); err != nil {
		return s.fail(ctx, err)
	}
	if fresh.read != nil {
		p.read = &reading{session: s, plan: fresh.read, readers: fresh.readers, bind: p.bind, types: fresh.types}
	}
	s.dropPortal(p.bind.Portal)
	s.portals[p.bind.Portal] = p
	return nil
}

// bindParameters binds the client's parameters to a statement that has nothing but them.
func (s *Session) bindParameters(ctx context.Context, p *portal, types []uint32) error {
	b := p.bind
	switch formats := len(b.ResultFormats); {
	case len(types) != len(b.Params):
		return sqlerr.New(sqlerr.ProtocolViolation, "bind message supplies %d parameters, but prepared statement \"%s\" requires %d",
			len(b.Params), b.Statement, len(types))
	case formats > 1 && formats != len(p.fields):
		return sqlerr.New(sqlerr.ProtocolViolation, "bind message has %d result formats but query has %d columns", formats, len(p.fields))
	}
	list := make([]string, len(types))
	for i := range types {
		list[i] = "$" + strconv.Itoa(i+1)
	}
	x := newExchange(s.client)
	x.show = func(f Frame) bool { return f.Type == '2' || f.Type == 'N' }
	x.edit = func(*pgproto3.ErrorResponse) {}
	err := s.backend.addAll(x,
		outgoing{&pgproto3.Close{ObjectType: 'S', Name: ownName}, 'C'},
		outgoing{&pgproto3.Parse{Name: ownName, Query: "select " + strings.Join(list, ", "), ParameterOIDs: types}, 'P'},
		outgoing{&pgproto3.Bind{
			DestinationPortal: b.Portal, PreparedStatement: ownName, Parameters: b.Params, ParameterFormatCodes: b.ParamFormats,
		}, 'B'},
		outgoing{&pgproto3.Close{ObjectType: 'S', Name: ownName}, 'C'},
	)
	if err != nil {
		return err
	}
	if err := s.backend.run(ctx, x, func() {}); err != nil && !errors.Is(err, errBackendGone) {
		return errAnswered
	} else if err != nil {
		return err
	}
	return nil
}

// describeRows answers Describe for the portal of a statement that moves rows: the shape is that of the
// prepared statement, in the formats of the portal's Bind.
func (s *Session) describeRows(p *portal) error {
	if p.read == nil {
		return s.client.Send(NoData{})
	}
	fields := slices.Clone(p.fields)
	for i := range fields {
		fields[i].Format = formatOf(p.bind.ResultFormats, i)
	}
	return s.sendShape(fields)
}

// sendShape sends a RowDescription.
func (s *Session) sendShape(fields []pgproto3.FieldDescription) error {
	body, err := encodeBody(&pgproto3.RowDescription{Fields: fields})
	if err != nil {
		return err
	}
	return s.client.Forward(Frame{Type: 'T', Body: body})
}

// runPortal runs an Execute on a portal that moves rows.
func (s *Session) runPortal(ctx context.Context, e *execution) error {
	p := e.portal
	if p.read == nil {
		return s.insert(ctx, p.statement, p.statement.rows, p.bind)
	}
	if !p.read.started {
		if err := s.beginRead(ctx, p.read); err != nil {
			return err
		}
	}
	before := p.read.sent
	suspended, err := p.read.run(ctx, e.maxRows)
	if err != nil {
		return err
	}
	if suspended {
		return s.client.Send(PortalSuspended{})
	}
	p.read.close()
	s.held = CommandComplete{fmt.Sprintf("SELECT %d", p.read.sent-before)}
	return nil
}

func (p *portal) close() { p.read.close() }
