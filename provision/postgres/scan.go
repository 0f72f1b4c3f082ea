package postgres

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// Scan reads rows as the server sends them. Filters are handed on where the server cannot come to
// another answer than the home database; a limit only when there are no filters.
func (s *System) Scan(ctx context.Context, req provision.ScanRequest) (provision.Rows, error) {
	n, err := s.name(req.Resource)
	if err != nil {
		return nil, err
	}
	c, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	where, values, err := s.pushDown(ctx, c, n, req)
	if err != nil {
		c.release(ctx)
		return nil, err
	}
	rows := &rows{s: s, c: c}
	rows.ctx, rows.cancel = context.WithCancel(ctx)
	rows.start(selectText(n, req, where), values)
	if ctx.Err() != nil && rows.err == nil {
		rows.err = s.errs.ended(ctx)
	}
	if rows.err == nil {
		return rows, nil
	}
	failed := rows.Close()
	if len(values) > 0 && refusesFilter(failed) {
		req.Filters, req.Limit = nil, 0
		return s.Scan(ctx, req)
	}
	return nil, failed
}

func selectText(n name, req provision.ScanRequest, where string) string {
	names := make([]string, len(req.Columns))
	for i, c := range req.Columns {
		names[i] = c.Name
	}
	sql := "SELECT " + idents(names) + " FROM " + n.sql() + where
	if req.Limit > 0 && len(req.Filters) == 0 {
		sql += " LIMIT " + strconv.FormatInt(req.Limit, 10)
	}
	return sql
}

// pushDown is the WHERE clause for the filters that the server may evaluate, with its parameters.
func (s *System) pushDown(ctx context.Context, c *conn, n name, req provision.ScanRequest) (string, [][]byte, error) {
	if len(req.Filters) == 0 {
		return "", nil, nil
	}
	found, err := readRelation(ctx, c, n)
	if err != nil {
		return "", nil, s.errs.later(ctx, err)
	}
	if found == nil {
		return "", nil, provision.Error(provision.NotFound, "relation %q does not exist", n.table)
	}
	types := make(map[string]string, len(found.columns))
	for _, column := range found.columns {
		types[column.Name] = column.Type
	}
	wanted := make(map[string]string, len(req.Resource.Table.Columns)+len(req.Columns))
	for _, column := range append(req.Resource.Table.Columns, req.Columns...) {
		wanted[column.Name] = column.Type
	}
	var conditions []string
	var values [][]byte
	for _, f := range req.Filters {
		typ, known := types[f.Column]
		if !known || wanted[f.Column] != typ || !safeOperator(typ, f.Op) {
			continue
		}
		values = append(values, []byte(f.Value))
		conditions = append(conditions, ident(f.Column)+" "+f.Op+" $"+strconv.Itoa(len(values)))
	}
	if len(conditions) == 0 {
		return "", nil, nil
	}
	return " WHERE " + strings.Join(conditions, " AND "), values, nil
}

// safeOperator tells whether an operator on a type gives the same answer on every server: what depends
// on a collation does not. Equality of texts can only find more under another collation, never less.
func safeOperator(typ, op string) bool {
	t, ok := parseType(typ)
	if !ok {
		return false
	}
	switch op {
	case "=":
		return t.base == "text" || t.base == "character varying" || t.base == "uuid" || t.base == "boolean" || ordered(t.base)
	case "<>", "<", "<=", ">", ">=":
		return ordered(t.base)
	default:
		return false
	}
}

func ordered(base string) bool {
	return integerRank(base) > 0 || base == "numeric" || base == "real" || base == "double precision" || base == "date" ||
		isTime(base)
}

// refusesFilter tells whether an error may be the fault of a filter's value.
func refusesFilter(err error) bool {
	var e *sqlerr.Error
	return errors.As(err, &e) && (strings.HasPrefix(e.Code, "22") || e.Code == "42883")
}

// rows is one scan that is being read.
type rows struct {
	s       *System
	c       *conn
	ctx     context.Context //nolint:containedctx // a scan outlives the call that opened it, until Close
	cancel  context.CancelFunc
	reader  *pgconn.ResultReader
	pending bool // the reader stands on a row that Next has not given out
	done    bool
	err     error
}

// start sends the query and reads up to the first row, so that what is wrong with it is known here.
func (r *rows) start(sql string, values [][]byte) {
	r.reader = r.c.Conn.Conn().PgConn().ExecParams(r.ctx, sql, values, nil, nil, nil)
	r.pending = r.advance()
}

func (r *rows) advance() bool {
	if r.reader.NextRow() {
		return true
	}
	r.done = true
	_, err := r.reader.Close()
	r.err = r.s.errs.later(r.ctx, err)
	return false
}

// Next moves to the next row. The end of ctx, or of the context that Scan got, ends the scan with an error.
func (r *rows) Next(ctx context.Context) bool {
	if r.done {
		return false
	}
	if r.pending {
		r.pending = false
		return true
	}
	stop := context.AfterFunc(ctx, r.cancel)
	defer stop()
	more := r.advance()
	if r.err != nil && ctx.Err() != nil {
		r.err = r.s.errs.ended(ctx)
	}
	return more
}

// Values returns the row's values; they are valid until Next.
func (r *rows) Values() [][]byte { return r.reader.Values() }

// Err tells why Next returned false, nil at the end of the rows.
func (r *rows) Err() error { return r.err }

// Close ends the scan and its statement on the server. It returns the scan's error.
func (r *rows) Close() error {
	if r.c == nil {
		return r.err
	}
	if !r.done {
		r.done = true
		r.cancel()
		// The statement was cancelled on purpose; its error says no more than that.
		_, _ = r.reader.Close()
	}
	r.c.release(r.ctx)
	r.cancel()
	r.c = nil
	return r.err
}
