// Package relation moves rows of managed tables: it scans them for queries that run at home, and writes
// the rows of an INSERT.
package relation

import (
	"context"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// Rows are the rows of a scan, in PostgreSQL's text form; nil is NULL.
type Rows = provision.Rows

// Filter is one condition that may be applied while reading.
type Filter = provision.Filter

// Access opens catalogs and moves rows.
type Access struct{ Pool *provision.Pool }

// Scan begins to read a table: the columns that the query may use, and of the rows at least those that
// the filters leave. done ends it, read to the end or not.
func (a Access) Scan(ctx context.Context, r *bind.Read, filters []Filter) (rows Rows, done func(), err error) {
	prov, release, err := a.Pool.Get(ctx, r.Catalog)
	if err != nil {
		return nil, nil, err
	}
	scanner, ok := prov.(provision.Scanner)
	if !ok {
		release()
		return nil, nil, unable("SELECT", r.Catalog)
	}
	rows, err = scanner.Scan(ctx, provision.ScanRequest{
		Resource: resource(r.Name, r.Relation), Columns: r.Columns, Filters: filters,
	})
	if err != nil {
		release()
		return nil, nil, err
	}
	return rows, func() {
		_ = rows.Close() // what was read is complete, or is not wanted any more
		release()
	}, nil
}

// Write appends rows: all of them or none.
func (a Access) Write(ctx context.Context, w *bind.Write, rows [][][]byte) (int64, error) {
	prov, release, err := a.Pool.Get(ctx, w.Catalog)
	if err != nil {
		return 0, err
	}
	defer release()
	writer, ok := prov.(provision.Writer)
	if !ok {
		return 0, unable("INSERT", w.Catalog)
	}
	return writer.Write(ctx, resource(w.Name, w.Relation), w.Columns, rows)
}

func unable(what string, c catalog.Catalog) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "%s is not supported on tables of catalog \"%s\"", what, c.Name)
}

func resource(name catalog.Name, rel catalog.Relation) plan.Resource {
	return plan.Resource{Kind: plan.TableKind, Name: name, Path: rel.Path, Table: rel.Table, Identity: rel.Identity}
}
