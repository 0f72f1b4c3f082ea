package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// pendingWrite is an INSERT whose rows are computed and wait for the commit: a later error in the same
// implicit transaction must leave nothing written.
type pendingWrite struct {
	plan *bind.Write
	rows [][][]byte
}

// insert computes the rows of an INSERT at home and keeps them for the commit.
func (s *Session) insert(ctx context.Context, st *routed, p *rowsPlan, b BindRequest) error {
	tx := s.backend.state()
	if s.tx.inBlock(tx) || s.tx.executed > 0 || s.inScript {
		return sqlerr.New(sqlerr.ActiveSQLTransaction, "INSERT into %s cannot run inside a transaction block", p.write.Name).
			WithHint("Run it by itself: the table is in catalog \"%s\", whose writes do not take part in the transaction.", p.write.Catalog.Name)
	}
	forms, err := s.may(ctx, fmt.Sprintf("pg_catalog.has_table_privilege(%d, 'INSERT')", p.write.Relation.OID), p.write.Relation)
	if err != nil {
		return err
	}
	if forms.readOnly {
		return sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute INSERT in a read-only transaction")
	}
	rows, err := s.compute(ctx, p, b, forms)
	if err != nil {
		return s.rewrittenError(st, p.write.Rows, err)
	}
	if err := s.notNull(ctx, p.write, rows); err != nil {
		return err
	}
	s.tx.write = &pendingWrite{plan: p.write, rows: rows}
	s.held = CommandComplete{fmt.Sprintf("INSERT 0 %d", len(rows))}
	return nil
}

// compute runs the query of the rows at home, with the client's parameters. The values come in the forms
// that rows travel in, whatever the client's settings are.
func (s *Session) compute(ctx context.Context, p *rowsPlan, b BindRequest, forms forms) ([][][]byte, error) {
	var before, after string
	var format []int16
	if !forms.plain {
		before, after = plainRows(len(p.write.Columns))
		format = []int16{1}
	}
	x := newExchange(s.client)
	err := s.backend.addAll(x,
		outgoing{&pgproto3.Close{ObjectType: 'P', Name: ownName}, 'C'},
		outgoing{&pgproto3.Close{ObjectType: 'S', Name: ownName}, 'C'},
		outgoing{&pgproto3.Parse{Name: ownName, Query: before + p.write.Rows.Text() + after, ParameterOIDs: p.types}, 'P'},
		outgoing{&pgproto3.Bind{
			DestinationPortal: ownName, PreparedStatement: ownName, Parameters: b.Params, ParameterFormatCodes: b.ParamFormats,
			ResultFormatCodes: format,
		}, 'B'},
		outgoing{&pgproto3.Execute{Portal: ownName}, 'E'},
		outgoing{&pgproto3.Close{ObjectType: 'S', Name: ownName}, 'C'},
	)
	if err != nil {
		return nil, err
	}
	err = s.backend.run(ctx, x, func() { s.cancelHome(context.WithoutCancel(ctx)) })
	if e, ok := errors.AsType[*sqlerr.Error](err); ok {
		return nil, e.At(max(e.Position-len(before), 0))
	}
	return x.rows, err
}

// notNull refuses NULL in a column that must not have it, in PostgreSQL's words.
func (s *Session) notNull(ctx context.Context, w *bind.Write, rows [][][]byte) error {
	for _, row := range rows {
		for i, c := range w.Columns {
			if !c.NotNull || row[i] != nil {
				continue
			}
			e := sqlerr.New(sqlerr.NotNullViolation, "null value in column \"%s\" of relation \"%s\" violates not-null constraint", c.Name, w.Name.Table)
			e.Schema, e.Table, e.Column = w.Name.HomeSchema(), w.Name.Table, c.Name
			readable, err := s.QueryText(ctx, fmt.Sprintf("select pg_catalog.has_table_privilege(%d, 'SELECT')", w.Relation.OID))
			if err != nil {
				return err
			}
			if shown, known := failingRow(w, row); known && readable == "t" {
				e = e.WithDetail("Failing row contains (%s).", shown)
			}
			return e
		}
	}
	return nil
}

// shownValueMax is how many bytes of a value PostgreSQL shows of a failing row.
const shownValueMax = 64

// failingRow shows a row of the table; that is not known when the system would fill a column of it.
func failingRow(w *bind.Write, row [][]byte) (string, bool) {
	values := make([]string, len(w.Relation.Table.Columns))
	for i, c := range w.Relation.Table.Columns {
		at := slices.IndexFunc(w.Columns, func(of catalog.Column) bool { return of.Name == c.Name })
		switch {
		case at < 0 && c.Identity != "":
			return "", false
		case at < 0 || row[at] == nil:
			values[i] = "null"
		default:
			values[i] = clipped(string(row[at]))
		}
	}
	return strings.Join(values, ", "), true
}

func clipped(value string) string {
	if len(value) <= shownValueMax {
		return value
	}
	end := shownValueMax
	for end > 0 && !utf8.RuneStart(value[end]) {
		end--
	}
	return value[:end] + "..."
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
