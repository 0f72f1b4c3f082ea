package iceberg

import (
	"context"
	"database/sql"
	"errors"
)

// rowStore is the rows of one catalogue in its SQLite file. Every change is one statement, so that it
// happens wholly or not at all, and on a condition that the statement itself checks.
type rowStore struct {
	db      *database
	catalog string // catalog_name
}

// tableRow is what the catalogue says of a name.
type tableRow struct {
	metadata string // location of the current metadata
	view     bool
}

// lookup returns nil when the catalogue has no such name.
func (s *rowStore) lookup(ctx context.Context, n name) (*tableRow, error) {
	var row *tableRow
	err := s.with(ctx, func(db *sql.DB, typed bool) error {
		kind := "NULL"
		if typed {
			kind = "iceberg_type"
		}
		var location, typ sql.NullString
		err := db.QueryRowContext(ctx, "SELECT metadata_location, "+kind+` FROM iceberg_tables
			WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?`, s.catalog, n.schema, n.table).Scan(&location, &typ)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		row = &tableRow{metadata: location.String, view: typ.String == "VIEW"}
		return err
	})
	return row, err
}

// insert adds a table when its namespace exists; added tells whether it did. A name that is taken is an
// error of the primary key.
func (s *rowStore) insert(ctx context.Context, n name, metadata string) (added bool, err error) {
	return s.change(ctx, func(typed bool) string {
		column, value := "", ""
		if typed {
			column, value = ", iceberg_type", ", 'TABLE'"
		}
		return `INSERT INTO iceberg_tables (metadata_location, catalog_name, table_namespace, table_name` + column + `)
			SELECT ?4, ?1, ?2, ?3` + value + ` WHERE ` + namespaceExists
	}, s.catalog, n.schema, n.table, metadata)
}

const namespaceExists = `(EXISTS (SELECT 1 FROM iceberg_namespace_properties WHERE catalog_name = ?1 AND namespace = ?2)
	OR EXISTS (SELECT 1 FROM iceberg_tables WHERE catalog_name = ?1 AND table_namespace = ?2))`

// swap replaces a table's metadata when it is still the old one.
func (s *rowStore) swap(ctx context.Context, n name, old, metadata string) (swapped bool, err error) {
	return s.change(ctx, func(bool) string {
		return `UPDATE iceberg_tables SET metadata_location = ?5, previous_metadata_location = ?4
			WHERE catalog_name = ?1 AND table_namespace = ?2 AND table_name = ?3 AND metadata_location = ?4`
	}, s.catalog, n.schema, n.table, old, metadata)
}

// rename gives a table another name in its namespace when its metadata is still the old one. A name that is
// taken is an error of the primary key.
func (s *rowStore) rename(ctx context.Context, n, renamed name, metadata string) (moved bool, err error) {
	return s.change(ctx, func(bool) string {
		return `UPDATE iceberg_tables SET table_name = ?5
			WHERE catalog_name = ?1 AND table_namespace = ?2 AND table_name = ?3 AND metadata_location = ?4`
	}, s.catalog, n.schema, n.table, metadata, renamed.table)
}

// remove deletes a table's row when its metadata is still the old one.
func (s *rowStore) remove(ctx context.Context, n name, old string) (removed bool, err error) {
	return s.change(ctx, func(bool) string {
		return `DELETE FROM iceberg_tables
			WHERE catalog_name = ?1 AND table_namespace = ?2 AND table_name = ?3 AND metadata_location IS ?4`
	}, s.catalog, n.schema, n.table, nullable(old))
}

func nullable(text string) sql.NullString { return sql.NullString{String: text, Valid: text != ""} }

// with runs work on the current file's connections, again while the file is locked.
func (s *rowStore) with(ctx context.Context, work func(db *sql.DB, typed bool) error) error {
	db, typed, err := s.db.current(ctx)
	if err != nil {
		return err
	}
	return whileBusy(ctx, func() error { return work(db, typed) })
}

// change runs one statement and tells whether it changed a row.
func (s *rowStore) change(ctx context.Context, statement func(typed bool) string, args ...any) (bool, error) {
	changed := false
	err := s.with(ctx, func(db *sql.DB, typed bool) error {
		result, err := db.ExecContext(ctx, statement(typed), args...)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		changed = n > 0
		return err
	})
	return changed, err
}

// list reads names.
func (s *rowStore) list(ctx context.Context, query string, args ...any) ([]string, error) {
	var names []string
	err := s.with(ctx, func(db *sql.DB, _ bool) error {
		rows, err := db.QueryContext(ctx, query, args...)
		if err != nil {
			return err
		}
		names, err = collect(rows)
		return err
	})
	return names, err
}

func collect(rows *sql.Rows) (names []string, err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		names = append(names, text)
	}
	return names, rows.Err()
}

// tables lists the tables of a namespace.
func (s *rowStore) tables(ctx context.Context, namespace string) ([]string, error) {
	_, typed, err := s.db.current(ctx)
	if err != nil {
		return nil, err
	}
	onlyTables := ""
	if typed {
		onlyTables = " AND (iceberg_type IS NULL OR iceberg_type = 'TABLE')"
	}
	return s.list(ctx, "SELECT table_name FROM iceberg_tables WHERE catalog_name = ? AND table_namespace = ?"+onlyTables+
		" ORDER BY table_name", s.catalog, namespace)
}
