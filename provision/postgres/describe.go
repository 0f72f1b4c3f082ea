package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

const schemasQuery = `SELECT nspname FROM pg_catalog.pg_namespace
	WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' AND has_schema_privilege(oid, 'USAGE') ORDER BY nspname`

// Partitions are not listed: their rows are read through their table.
const tablesQuery = `SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition ORDER BY c.relname`

// Schemas lists the schemas that the catalog's user may look into, without the system's own.
func (s *System) Schemas(ctx context.Context) ([]string, error) { return s.list(ctx, schemasQuery) }

// Tables lists the tables, views and foreign tables of a schema.
func (s *System) Tables(ctx context.Context, schema string) ([]string, error) {
	return s.list(ctx, tablesQuery, schema)
}

// Version names the server's product and version.
func (s *System) Version(ctx context.Context) (string, error) {
	versions, err := s.list(ctx, "SELECT 'PostgreSQL ' || current_setting('server_version')")
	if err != nil {
		return "", err
	}
	return versions[0], nil
}

func (s *System) list(ctx context.Context, query string, args ...any) ([]string, error) {
	c, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer c.release(ctx)
	// A failed Query has its error in its rows.
	rows, _ := c.Query(ctx, query, args...)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return names, s.errs.later(ctx, err)
}
