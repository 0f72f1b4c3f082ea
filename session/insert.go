package session

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// pendingWrite is an INSERT whose rows are computed and wait for the commit: a later error in the same
// implicit transaction must leave nothing written.
type pendingWrite struct {
	plan *bind.Write
	rows [][][]byte
}

// insert computes the rows of an INSERT at home and keeps them for the commit.
func (s *Session) insert(ctx context.Context, p *rowsPlan, b BindRequest) error {
	tx := s.backend.state()
	if s.tx.inBlock(tx) || s.tx.executed > 0 || s.inScript {
		return sqlerr.New(sqlerr.ActiveSQLTransaction, "INSERT into %s cannot run inside a transaction block", p.write.Name).
			WithHint("Run it by itself: the table is in catalog \"%s\", whose writes do not take part in the transaction.", p.write.Catalog.Name)
	}
	sql := fmt.Sprintf("select pg_catalog.has_table_privilege(%d, 'INSERT')::pg_catalog.text", p.write.Relation.OID)
	if err := s.may(ctx, sql, p.write.Relation); err != nil {
		return err
	}
	rows, err := s.compute(ctx, p, b)
	if err != nil {
		return err
	}
	if err := notNull(p.write, rows); err != nil {
		return err
	}
	s.tx.write = &pendingWrite{plan: p.write, rows: rows}
	s.held = CommandComplete{fmt.Sprintf("INSERT 0 %d", len(rows))}
	return nil
}

// compute runs the query of the rows at home, with the client's parameters.
func (s *Session) compute(ctx context.Context, p *rowsPlan, b BindRequest) ([][][]byte, error) {
	x := newExchange(s.client)
	err := s.backend.addAll(x,
		outgoing{&pgproto3.Close{ObjectType: 'P', Name: ownName}, 'C'},
		outgoing{&pgproto3.Close{ObjectType: 'S', Name: ownName}, 'C'},
		outgoing{&pgproto3.Parse{Name: ownName, Query: p.write.Rows.Text(), ParameterOIDs: p.types}, 'P'},
		outgoing{&pgproto3.Bind{DestinationPortal: ownName, PreparedStatement: ownName, Parameters: b.Params, ParameterFormatCodes: b.ParamFormats}, 'B'},
		outgoing{&pgproto3.Execute{Portal: ownName}, 'E'},
		outgoing{&pgproto3.Close{ObjectType: 'S', Name: ownName}, 'C'},
	)
	if err != nil {
		return nil, err
	}
	if err := s.backend.run(ctx, x, func() { s.cancelHome(context.WithoutCancel(ctx)) }); err != nil {
		return nil, err
	}
	return x.rows, nil
}

// notNull refuses NULL in a column that must not have it, in PostgreSQL's words.
func notNull(w *bind.Write, rows [][][]byte) error {
	for _, row := range rows {
		for i, c := range w.Columns {
			if c.NotNull && row[i] == nil {
				e := sqlerr.New(sqlerr.NotNullViolation, "null value in column \"%s\" of relation \"%s\" violates not-null constraint", c.Name, w.Name.Table)
				e.Schema, e.Table, e.Column = w.Name.HomeSchema(), w.Name.Table, c.Name
				return e
			}
		}
	}
	return nil
}

// writePending writes what waits for the commit. It is the last thing before it.
func (s *Session) writePending(ctx context.Context) error {
	w := s.tx.write
	if w == nil {
		return nil
	}
	s.tx.write = nil
	ctx, end := s.begin(ctx)
	defer end()
	_, err := s.gateway.Relations.Write(ctx, w.plan, w.rows)
	return err
}

// aloneWith refuses a statement beside an INSERT whose rows wait for the commit.
func (s *Session) aloneWith() error {
	if s.tx.write == nil {
		return nil
	}
	name := s.tx.write.plan.Name
	s.tx.write = nil
	return sqlerr.New(sqlerr.ActiveSQLTransaction, "INSERT into %s cannot be one of several statements of a transaction", name).
		WithHint("Send a Sync after it, or run it by itself.")
}
