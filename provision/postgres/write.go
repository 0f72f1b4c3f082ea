package postgres

import (
	"context"
	"io"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// copyChunkBytes is how much of a COPY is encoded at a time.
const copyChunkBytes = 64 << 10

// Write inserts rows by COPY, in one transaction. Columns that are not named get their defaults.
func (s *System) Write(ctx context.Context, r plan.Resource, columns []catalog.Column, values [][][]byte) (int64, error) {
	n, err := s.name(r)
	if err != nil || len(values) == 0 {
		return 0, err
	}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
		if c.Identity == "ALWAYS" {
			// COPY would store what INSERT refuses.
			return 0, sqlerr.New("428C9", "cannot insert a non-DEFAULT value into column %q", c.Name).
				WithDetail("Column %q is an identity column defined as GENERATED ALWAYS.", c.Name)
		}
	}
	var written int64
	err = s.transact(ctx, provision.Call{}, func(ctx context.Context, tx *transaction) error {
		if err := tx.begin(ctx); err != nil {
			return err
		}
		if len(columns) == 0 {
			written, err = tx.insertDefaults(ctx, n, len(values))
			return err
		}
		sql := "COPY " + n.sql() + " (" + idents(names) + ") FROM STDIN"
		tag, err := tx.Conn.Conn().PgConn().CopyFrom(ctx, &copyReader{rows: values}, sql)
		if err != nil {
			return s.errs.later(ctx, err)
		}
		written = tag.RowsAffected()
		return tx.assignID(ctx)
	})
	if err != nil {
		return 0, err
	}
	return written, nil
}

func (tx *transaction) insertDefaults(ctx context.Context, n name, count int) (int64, error) {
	for range count {
		if err := tx.exec(ctx, "INSERT INTO "+n.sql()+" DEFAULT VALUES"); err != nil {
			return 0, err
		}
	}
	return int64(count), tx.assignID(ctx)
}

// copyReader is rows in COPY's text format.
type copyReader struct {
	rows   [][][]byte
	buffer []byte
	read   int // bytes of buffer that were given out
}

// Read encodes as many rows as fill a chunk.
func (c *copyReader) Read(p []byte) (int, error) {
	if c.read == len(c.buffer) {
		c.buffer, c.read = c.buffer[:0], 0
		for len(c.rows) > 0 && len(c.buffer) < copyChunkBytes {
			c.buffer = appendCopyRow(c.buffer, c.rows[0])
			c.rows = c.rows[1:]
		}
		if len(c.buffer) == 0 {
			return 0, io.EOF
		}
	}
	n := copy(p, c.buffer[c.read:])
	c.read += n
	return n, nil
}

func appendCopyRow(b []byte, row [][]byte) []byte {
	for i, value := range row {
		if i > 0 {
			b = append(b, '\t')
		}
		if value == nil {
			b = append(b, '\\', 'N')
			continue
		}
		for _, c := range value {
			b = appendCopyByte(b, c)
		}
	}
	return append(b, '\n')
}

func appendCopyByte(b []byte, c byte) []byte {
	switch c {
	case '\\':
		return append(b, '\\', '\\')
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	default:
		return append(b, c)
	}
}
