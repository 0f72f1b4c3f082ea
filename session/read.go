package session

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/deploy/relation"
)

const (
	// readBatchRowsMax and readBatchBytesMax bound the rows that are brought home at a time.
	readBatchRowsMax  = 1000
	readBatchBytesMax = 1 << 20
	// readAllRowsMax and readAllBytesMax bound a table whose rows a query needs all at once.
	readAllRowsMax  = 1_000_000
	readAllBytesMax = 64 << 20
	byteaOID        = 17
)

// reading is a query over a managed table while it runs. The rows are read from the external system in
// batches; each batch is bound as arrays to the query, which the home server runs with the client's own
// parameters and formats. A query that needs all rows at once gets them in one batch.
type reading struct {
	session *Session
	plan    *bind.Read
	readers []string // see rowsPlan
	bind    BindRequest
	types   []uint32 // of the client's parameters, as far as it gave them
	name    string   // of the home statement and portal
	query   string

	rows     relation.Rows
	done     func()
	started  bool
	ended    bool // all rows have been read
	portal   bool // a batch's portal is open at home
	sent     int64
	describe []pgproto3.FieldDescription // shown before the first row
}

// beginRead checks the right to read and starts the scan.
func (s *Session) beginRead(ctx context.Context, r *reading) error {
	forms, err := s.mayRead(ctx, r.plan, r.readers)
	if err != nil {
		return err
	}
	filters := pushed(r.plan.Filters, r.bind, r.types)
	if !forms.utf8 {
		// Values as the client wrote them are not as the system has them.
		filters = slices.DeleteFunc(filters, func(f relation.Filter) bool { return !isASCII(f.Value) })
	}
	// The scan outlives the Execute that begins it, when a row limit suspends it.
	rows, done, err := s.gateway.Relations.Scan(context.WithoutCancel(ctx), r.plan, filters)
	if err != nil {
		return err
	}
	r.rows, r.done, r.started = rows, done, true
	s.reads++
	r.name = "tw_read_" + strconv.Itoa(s.reads)
	r.query = r.plan.Query(arraySource(r.plan.Columns, len(r.bind.Params))).Text()
	return nil
}

// pushed are the filters whose values can be sent along: constants, and parameters in text form.
func pushed(filters []bind.Filter, b BindRequest, types []uint32) []relation.Filter {
	var out []relation.Filter
	for _, f := range filters {
		value := f.Value
		if f.Param > 0 {
			if f.Param <= len(types) && types[f.Param-1] != 0 {
				continue // declared: it may be read in another way than the column's values are
			}
			if f.Param > len(b.Params) || b.Params[f.Param-1] == nil || formatOf(b.ParamFormats, f.Param-1) != 0 {
				continue
			}
			text, safe := f.Text(string(b.Params[f.Param-1]))
			if !safe {
				continue
			}
			value = text
		}
		out = append(out, relation.Filter{Column: f.Column.Name, Op: f.Op, Value: value})
	}
	return out
}

// formatOf is the format code of parameter or column i: none given means text, one is for all.
func formatOf(codes []int16, i int) int16 {
	switch {
	case len(codes) == 1:
		return codes[0]
	case i < len(codes):
		return codes[i]
	default:
		return 0
	}
}

// arraySource is the subquery that stands for the table: one array of text a column, behind the client's
// own parameters. The arrays come as bytes, so that the client's encoding does not matter to them.
func arraySource(columns []catalog.Column, params int) string {
	var list, arrays, names strings.Builder
	for i, c := range columns {
		if i > 0 {
			list.WriteString(", ")
			arrays.WriteString(", ")
			names.WriteString(", ")
		}
		fmt.Fprintf(&list, "tw_c%d::%s AS %s", i, c.Type, catalog.QuoteIdent(c.Name))
		fmt.Fprintf(&arrays, "pg_catalog.unnest(pg_catalog.convert_from($%d, 'UTF8')::pg_catalog.text[])", params+i+1)
		fmt.Fprintf(&names, "tw_c%d", i)
	}
	return fmt.Sprintf("(SELECT %s FROM ROWS FROM (%s) AS tw_rows(%s))", list.String(), arrays.String(), names.String())
}

// run sends rows until max of them are sent (0: all) and tells whether there are more.
func (r *reading) run(ctx context.Context, max uint32) (suspended bool, err error) {
	sentBefore := r.sent
	for {
		if !r.portal {
			batch, err := r.next(ctx)
			if err != nil {
				return false, err
			}
			if batch == nil {
				return false, nil
			}
			if err := r.open(ctx, batch); err != nil {
				return false, err
			}
		}
		var limit uint32
		if max > 0 {
			limit = max - uint32(r.sent-sentBefore) //nolint:gosec // no more than max are sent
		}
		more, err := r.execute(ctx, limit)
		if err != nil || more {
			return more, err
		}
		if max > 0 && r.sent-sentBefore >= int64(max) {
			return true, nil
		}
	}
}

// next reads the next batch, column by column; nil when there is none. A query that needs all rows at
// once gets one batch in any case, as does one whose shape is still to be shown.
func (r *reading) next(ctx context.Context) ([][][]byte, error) {
	if r.ended {
		return nil, nil
	}
	rowsMax, bytesMax := readBatchRowsMax, readBatchBytesMax
	if !r.plan.RowWise {
		rowsMax, bytesMax = readAllRowsMax, readAllBytesMax
	}
	columns := make([][][]byte, len(r.plan.Columns))
	count, size := 0, 0
	for count < rowsMax && size < bytesMax {
		if !r.rows.Next(ctx) {
			r.ended = true
			break
		}
		for i, v := range r.rows.Values() {
			if v != nil {
				v = bytes.Clone(v)
			}
			columns[i] = append(columns[i], v)
			size += len(v)
		}
		count++
	}
	if err := r.rows.Err(); err != nil {
		return nil, err
	}
	if !r.plan.RowWise && !r.ended {
		return nil, sqlerr.New(sqlerr.ProgramLimitExceeded, "table %s is too large for this query", r.plan.Name).
			WithDetail("The query needs all rows at once, at most %d rows and %d MiB.", readAllRowsMax, readAllBytesMax>>20).
			WithHint("Narrow the query with a WHERE that the system can apply, or leave ORDER BY, LIMIT and aggregates to the reader.")
	}
	if count == 0 && r.plan.RowWise && r.describe == nil {
		return nil, nil
	}
	return columns, nil
}

// open prepares and binds the query for one batch at home.
func (r *reading) open(ctx context.Context, columns [][][]byte) error {
	s := r.session
	b := pgproto3.Bind{DestinationPortal: r.name, PreparedStatement: r.name, ResultFormatCodes: r.bind.ResultFormats}
	b.Parameters = append(b.Parameters, r.bind.Params...)
	for i := range r.bind.Params {
		b.ParameterFormatCodes = append(b.ParameterFormatCodes, formatOf(r.bind.ParamFormats, i))
	}
	types := make([]uint32, len(r.bind.Params), len(r.bind.Params)+len(columns))
	copy(types, r.types)
	for _, c := range columns {
		b.Parameters = append(b.Parameters, textArray(c))
		b.ParameterFormatCodes = append(b.ParameterFormatCodes, 1)
		types = append(types, byteaOID)
	}
	x := newExchange(s.client)
	err := s.backend.addAll(x,
		outgoing{&pgproto3.Close{ObjectType: 'P', Name: r.name}, 'C'},
		outgoing{&pgproto3.Close{ObjectType: 'S', Name: r.name}, 'C'},
		outgoing{&pgproto3.Parse{Name: r.name, Query: r.query, ParameterOIDs: types}, 'P'},
		outgoing{&b, 'B'},
	)
	if err != nil {
		return err
	}
	if err := s.backend.run(ctx, x, func() { s.cancelHome(context.WithoutCancel(ctx)) }); err != nil {
		return err
	}
	r.portal = true
	if r.describe == nil {
		return nil
	}
	shape := r.describe
	r.describe = nil
	return s.sendShape(shape)
}

// execute runs the open batch and tells whether the limit has suspended it.
func (r *reading) execute(ctx context.Context, limit uint32) (suspended bool, err error) {
	s := r.session
	x := newExchange(s.client)
	x.keepTag = true
	x.show = func(f Frame) bool {
		switch f.Type {
		case 'D':
			r.sent++
			return true
		case 's':
			suspended = true
			return false
		default:
			return f.Type == 'N'
		}
	}
	if err := s.backend.addMessage(&pgproto3.Execute{Portal: r.name, MaxRows: limit}, 'E', x); err != nil {
		return false, err
	}
	if err := s.backend.run(ctx, x, func() { s.cancelHome(context.WithoutCancel(ctx)) }); err != nil {
		return false, err
	}
	if suspended {
		return true, nil
	}
	r.portal = false
	return false, r.forget()
}

// forget closes the batch's portal and statement at home. It is queued with what is sent next.
func (r *reading) forget() error {
	closing := newExchange(r.session.client)
	for _, kind := range []byte{'P', 'S'} {
		if err := r.session.backend.addMessage(&pgproto3.Close{ObjectType: kind, Name: r.name}, 'C', closing); err != nil {
			return err
		}
	}
	return nil
}

// close ends the scan, read to its end or not.
func (r *reading) close() {
	if r == nil || r.done == nil {
		return
	}
	r.done()
	r.done = nil
	if r.portal {
		r.portal = false
		// An error shows at the session's next message.
		_ = r.forget()
	}
}

// textArray is a list of values as the text form of text[].
func textArray(values [][]byte) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		if v == nil {
			b.WriteString("NULL")
			continue
		}
		b.WriteByte('"')
		for _, c := range v {
			if c == '"' || c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
		b.WriteByte('"')
	}
	b.WriteByte('}')
	return b.Bytes()
}
