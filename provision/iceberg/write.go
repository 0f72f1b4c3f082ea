package iceberg

import (
	"context"
	"errors"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// batchRowsMax is how many rows are put into one batch of a write.
const batchRowsMax = 8192

// Write appends rows as one snapshot. When others commit to the table at the same time it is done again
// on top of theirs, until ctx ends. Columns that are not named are NULL.
func (s *System) Write(ctx context.Context, r plan.Resource, columns []catalog.Column, values [][][]byte) (int64, error) {
	n, err := s.name(r)
	if err != nil || len(values) == 0 {
		return 0, err
	}
	for {
		err := s.writeOnce(ctx, n, columns, values)
		if err == nil {
			return int64(len(values)), nil
		}
		if !errors.Is(err, table.ErrCommitFailed) || ctx.Err() != nil {
			return 0, s.fail(ctx, err)
		}
	}
}

func (s *System) writeOnce(ctx context.Context, n name, columns []catalog.Column, values [][][]byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t := s.table(n)
	t.files = s.files.recorder()
	loaded, err := t.LoadTable(ctx, nil)
	if err != nil {
		return err
	}
	reader, err := buildReader(loaded.Schema(), columns, values)
	if err != nil {
		return err
	}
	defer reader.Release()
	txn := loaded.NewTransaction()
	if err := txn.Append(ctx, reader, nil); err != nil {
		t.files.discard()
		return err
	}
	_, err = txn.Commit(ctx)
	own, isOwn := errors.AsType[*sqlerr.Error](err)
	_, notCommitted := errors.AsType[notCommittedError](err)
	if notCommitted || errors.Is(err, table.ErrCommitFailed) || isOwn && own.Code == sqlerr.UndefinedTable {
		// Nothing was committed. After any other error a commit may have happened: the files stay.
		t.files.discard()
	}
	return err
}

// buildReader turns rows into batches of the table's schema.
func buildReader(schema *iceberg.Schema, columns []catalog.Column, values [][][]byte) (array.RecordReader, error) {
	arrowSchema, err := table.SchemaToArrowSchema(schema, nil, true, false)
	if err != nil {
		return nil, err
	}
	sources, err := columnSources(schema, columns)
	if err != nil {
		return nil, err
	}
	builder := array.NewRecordBuilder(memory.DefaultAllocator, arrowSchema)
	defer builder.Release()
	var batches []arrow.RecordBatch
	defer func() {
		for _, b := range batches {
			b.Release()
		}
	}()
	for start := 0; start < len(values); start += batchRowsMax {
		for _, row := range values[start:min(start+batchRowsMax, len(values))] {
			if err := appendRow(builder, schema, sources, row); err != nil {
				return nil, err
			}
		}
		batches = append(batches, builder.NewRecordBatch())
	}
	return array.NewRecordReader(arrowSchema, batches)
}

// columnSources tells, for each of the table's columns, which value of a row it takes; -1 is none.
func columnSources(schema *iceberg.Schema, columns []catalog.Column) ([]int, error) {
	sources := make([]int, schema.NumFields())
	places := make(map[string]int, schema.NumFields())
	for i, f := range schema.Fields() {
		sources[i] = -1
		places[f.Name] = i
	}
	for i, c := range columns {
		place, ok := places[c.Name]
		if !ok {
			return nil, sqlerr.New(sqlerr.UndefinedColumn, "column %q does not exist", c.Name)
		}
		sources[place] = i
	}
	return sources, nil
}

func appendRow(builder *array.RecordBuilder, schema *iceberg.Schema, sources []int, row [][]byte) error {
	for i, source := range sources {
		field := schema.Field(i)
		var value []byte
		if source >= 0 {
			value = row[source]
		}
		if value == nil {
			if field.Required {
				e := sqlerr.New(codeNotNull, "null value in column %q violates not-null constraint", field.Name)
				e.Column = field.Name
				return e
			}
			builder.Field(i).AppendNull()
			continue
		}
		if err := appendValue(builder.Field(i), field.Type, string(value)); err != nil {
			if e, ok := errors.AsType[*sqlerr.Error](err); ok {
				e.Column = field.Name
			}
			return err
		}
	}
	return nil
}
