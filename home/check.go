package home

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Right is something that the gateway can do at its home database, or lacks.
type Right struct {
	Name    string
	Has     bool
	Needed  bool   // the gateway does not start without it
	Feature string // what it is for
}

// rights are asked for with one query each: it answers whether the gateway has it. A query that fails
// because what it asks about is missing counts as no.
func rights() []struct {
	Right
	query string
} {
	return []struct {
		Right
		query string
	}{
		{
			Right{Name: "PostgreSQL 15 or newer", Needed: true, Feature: "everything"},
			"select current_setting('server_version_num')::int >= 150000",
		},
		{
			Right{Name: "encoding UTF8", Needed: true, Feature: "everything"},
			"select current_setting('server_encoding') = 'UTF8'",
		},
		{
			Right{Name: "primary server", Needed: true, Feature: "everything"},
			"select not pg_is_in_recovery()",
		},
		{
			Right{Name: "home-setup.sql of this release", Needed: true, Feature: "catalogs, guard and wall of external tables"},
			fmt.Sprintf("select tablewright.setup_version() >= %d", setupVersion),
		},
		{
			Right{Name: "event triggers of the guard, always on", Needed: true, Feature: "guard of external tables"},
			`select count(*) = 2 from pg_event_trigger
				where evtname in ('tablewright_guard', 'tablewright_guard_drop') and evtenabled = 'A'`,
		},
		{
			Right{Name: "types of catalog", Needed: true, Feature: "catalogs"},
			`select count(*) = 6 from pg_foreign_data_wrapper
				where fdwname in ('postgres', 'mysql', 'kafka', 'iceberg', 'venice', 'kubernetes') and fdwhandler = 0`,
		},
		{
			Right{Name: "CREATE on schema tablewright", Needed: true, Feature: "job history"},
			"select has_schema_privilege('tablewright', 'create')",
		},
		{
			Right{Name: "key of tickets", Needed: true, Feature: "guard of external tables"},
			"select has_table_privilege('tablewright.secret', 'select') and has_table_privilege('tablewright.secret', 'insert')",
		},
		{
			Right{Name: "UPDATE on the registry", Needed: true, Feature: "external tables"},
			`select has_table_privilege('tablewright.relation', 'update') and has_table_privilege('tablewright.catalog', 'update')
				and has_function_privilege('tablewright.patch_relation(oid, jsonb)', 'execute')
				and has_function_privilege('tablewright.drop_shadow(oid)', 'execute')
				and has_function_privilege('tablewright.drop_shadow_schema(oid)', 'execute')`,
		},
		{
			Right{Name: "password verifiers of roles", Needed: true, Feature: "logins"},
			"select has_function_privilege('tablewright.role(text)', 'execute')",
		},
		{
			Right{Name: "CREATEROLE", Feature: "CREATE ROLE, ALTER ROLE and GRANT of roles by admins"},
			"select rolcreaterole or rolsuper from pg_roles where rolname = current_user",
		},
	}
}

// Check logs in with a connection string and tells what the gateway can do there and what it lacks. It
// changes nothing.
func Check(ctx context.Context, dsn string) (list []Right, err error) {
	e, err := parseDSN(dsn)
	if err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, e.pool.ConnConfig)
	if err != nil {
		return nil, fmt.Errorf("home database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // nothing is left to lose
	for _, r := range rights() {
		has, err := ask(ctx, conn, r.query)
		if err != nil {
			return nil, err
		}
		r.Has = has
		list = append(list, r.Right)
	}
	return list, nil
}

// ask runs one query of rights. The server's own error (no such schema, no such function) is a no; a
// lost connection is not an answer.
func ask(ctx context.Context, conn *pgx.Conn, query string) (bool, error) {
	var has bool
	err := conn.QueryRow(ctx, query).Scan(&has)
	if err != nil && conn.IsClosed() {
		return false, fmt.Errorf("home database: %w", err)
	}
	return err == nil && has, nil
}
