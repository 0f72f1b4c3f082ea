package iceberg

import (
	"context"
	"iter"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/iceberg-go/table"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// scanConcurrency is how many data files of one scan are decoded at a time.
const scanConcurrency = 2

// rowBytes is the room that a row's values are given at first.
const rowBytes = 256

// Scan reads the rows of the table's current snapshot, batch by batch. Simple filters skip files and
// rows; a limit is used only when there are no filters.
func (s *System) Scan(ctx context.Context, req provision.ScanRequest) (provision.Rows, error) {
	n, err := s.name(req.Resource)
	if err != nil {
		return nil, err
	}
	loaded, err := s.table(n).LoadTable(ctx, nil)
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	options, err := scanOptions(loaded, req)
	if err != nil {
		return nil, err
	}
	// The buffer is never nil, nor is a slice of it then: nil is NULL, which an empty text is not.
	r := &rows{s: s, scan: loaded.Scan(options...), buffer: make([]byte, 0, rowBytes)}
	scanCtx, cancel := context.WithCancel(ctx)
	r.ctx, r.cancel = scanCtx, cancel
	schema, batches, err := r.scan.ToArrowRecords(scanCtx)
	if err == nil {
		err = r.place(schema, req)
	}
	if err != nil {
		r.cancel()
		return nil, s.fail(ctx, err)
	}
	r.next, r.stop = iter.Pull2(batches)
	return r, nil
}

func scanOptions(loaded *table.Table, req provision.ScanRequest) ([]table.ScanOption, error) {
	schema := loaded.Schema()
	var names []string
	for _, c := range req.Columns {
		if _, ok := fieldNamed(schema, c.Name); !ok {
			return nil, sqlerr.New(sqlerr.UndefinedColumn, "column %q does not exist", c.Name)
		}
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		names = []string{schema.Field(0).Name} // rows are counted by some column
	}
	options := []table.ScanOption{
		table.WithSelectedFields(names...), table.WithMaxConcurrency(scanConcurrency), table.WithRowFilter(pushDown(schema, req)),
	}
	if req.Limit > 0 && len(req.Filters) == 0 {
		options = append(options, table.WithLimit(req.Limit))
	}
	return options, nil
}

// rows is one scan that is being read.
type rows struct {
	s      *System
	scan   *table.Scan
	ctx    context.Context //nolint:containedctx // a scan outlives the call that opened it, until Close
	cancel context.CancelFunc
	next   func() (arrow.RecordBatch, error, bool)
	stop   func()

	places []int // of the wanted columns in a batch
	batch  arrow.RecordBatch
	row    int // in batch, of the next row
	buffer []byte
	values [][]byte
	done   bool
	err    error
}

// place finds the wanted columns in what the scan gives, which has them in the table's order.
func (r *rows) place(schema *arrow.Schema, req provision.ScanRequest) error {
	for _, c := range req.Columns {
		found := schema.FieldIndices(c.Name)
		if len(found) != 1 {
			return sqlerr.New(sqlerr.UndefinedColumn, "column %q does not exist", c.Name)
		}
		r.places = append(r.places, found[0])
	}
	r.values = make([][]byte, len(r.places))
	return nil
}

// Next moves to the next row. The end of ctx, or of the context that Scan got, ends the scan with an error.
func (r *rows) Next(ctx context.Context) bool {
	for !r.done {
		if r.batch != nil && int64(r.row) < r.batch.NumRows() {
			if r.err = r.read(); r.err != nil {
				r.done = true
				return false
			}
			r.row++
			return true
		}
		if !r.advance(ctx) {
			return false
		}
	}
	return false
}

// advance takes the next batch.
func (r *rows) advance(ctx context.Context) bool {
	release := context.AfterFunc(ctx, r.cancel)
	defer release()
	r.drop()
	batch, err, more := r.next()
	if more && err == nil {
		r.batch, r.row = batch, 0
		return true
	}
	r.done = true
	r.err = r.failed(err)
	if ctx.Err() != nil {
		r.err = ended(ctx, r.s.catalog)
	}
	return false
}

// failed translates an error of the scan; its end may also be that of the scan's own context.
func (r *rows) failed(err error) error {
	if err == nil {
		err = r.ctx.Err()
	}
	return r.s.fail(r.ctx, err)
}

func (r *rows) drop() {
	if r.batch != nil {
		r.batch.Release()
		r.batch = nil
	}
}

// read prints the current row's values into one buffer.
func (r *rows) read() error {
	r.buffer = r.buffer[:0]
	ends := make([]int, len(r.places))
	for i, place := range r.places {
		column := r.batch.Column(place)
		ends[i] = -1
		if column.IsNull(r.row) {
			continue
		}
		var err error
		if r.buffer, err = appendText(r.buffer, column, r.row); err != nil {
			return r.failed(err)
		}
		ends[i] = len(r.buffer)
	}
	start := 0
	for i, end := range ends {
		r.values[i] = nil
		if end >= 0 {
			r.values[i] = r.buffer[start:end:end]
			start = end
		}
	}
	return nil
}

// Values returns the row's values; they are valid until Next.
func (r *rows) Values() [][]byte { return r.values }

// Err tells why Next returned false, nil at the end of the rows.
func (r *rows) Err() error { return r.err }

// Close ends the scan and frees what it holds. It returns the scan's error.
func (r *rows) Close() error {
	if r.stop == nil {
		return r.err
	}
	r.done = true
	r.cancel()
	r.drop()
	r.stop()
	r.stop = nil
	if err := r.scan.Close(); err != nil && r.err == nil {
		return provision.Error(provision.Unavailable, "catalog %q: %s", r.s.catalog, err)
	}
	return r.err
}
