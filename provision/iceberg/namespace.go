package iceberg

import (
	"context"
	"database/sql"
)

// The properties of a namespace that this package makes. A namespace has no identity of its own.
const (
	propExists = "exists" // what pyiceberg and iceberg-java write into a namespace without properties
	propID     = "tablewright.id"
	propJobID  = "tablewright.job-id"
)

// strangerNamespace is the identity of a namespace that somebody else made.
const strangerNamespace = "unmarked"

// namespace is what the catalogue says of a namespace.
type namespace struct {
	exists   bool
	identity string
	jobID    string
}

func (s *rowStore) namespace(ctx context.Context, schema string) (namespace, error) {
	var n namespace
	err := s.with(ctx, func(db *sql.DB, _ bool) error {
		var id, job sql.NullString
		err := db.QueryRowContext(ctx, `SELECT `+namespaceExists+`,
			(SELECT property_value FROM iceberg_namespace_properties WHERE catalog_name = ?1 AND namespace = ?2 AND property_key = ?3),
			(SELECT property_value FROM iceberg_namespace_properties WHERE catalog_name = ?1 AND namespace = ?2 AND property_key = ?4)`,
			s.catalog, schema, propID, propJobID).Scan(&n.exists, &id, &job)
		n.identity, n.jobID = id.String, job.String
		return err
	})
	if n.exists && n.identity == "" {
		n.identity = strangerNamespace
	}
	return n, err
}

// contents lists what a namespace holds.
func (s *rowStore) contents(ctx context.Context, schema string) ([]string, error) {
	return s.list(ctx, `SELECT table_name FROM iceberg_tables WHERE catalog_name = ? AND table_namespace = ? ORDER BY 1 LIMIT 100`,
		s.catalog, schema)
}

// createNamespace makes a namespace unless there is one of that name.
func (s *rowStore) createNamespace(ctx context.Context, schema, identity, jobID string) (created bool, err error) {
	return s.change(ctx, func(bool) string {
		return `INSERT INTO iceberg_namespace_properties (catalog_name, namespace, property_key, property_value)
			SELECT ?1, ?2, column1, column2 FROM (VALUES (?3, 'true'), (?4, ?5), (?6, ?7)) WHERE NOT ` + namespaceExists
	}, s.catalog, schema, propExists, propID, identity, propJobID, jobID)
}

// dropNamespace removes a namespace that holds nothing, when it still has the identity; an empty one, or
// that of a stranger's, means any.
func (s *rowStore) dropNamespace(ctx context.Context, schema, identity string) (dropped bool, err error) {
	if identity == strangerNamespace {
		identity = ""
	}
	return s.change(ctx, func(bool) string {
		return `DELETE FROM iceberg_namespace_properties WHERE catalog_name = ?1 AND namespace = ?2
			AND NOT EXISTS (SELECT 1 FROM iceberg_tables WHERE catalog_name = ?1 AND table_namespace = ?2)
			AND (?3 = '' OR EXISTS (SELECT 1 FROM iceberg_namespace_properties
				WHERE catalog_name = ?1 AND namespace = ?2 AND property_key = ?4 AND property_value = ?3))`
	}, s.catalog, schema, identity, propID)
}

// namespaces lists all of them.
func (s *rowStore) namespaces(ctx context.Context) ([]string, error) {
	return s.list(ctx, `SELECT namespace FROM iceberg_namespace_properties WHERE catalog_name = ?1
		UNION SELECT table_namespace FROM iceberg_tables WHERE catalog_name = ?1 ORDER BY 1`, s.catalog)
}
