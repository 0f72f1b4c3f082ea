package home

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ensureDatabase makes the database of an embedded server. It is asked for at every start, so that a start
// that was cut short is completed by the next one.
func ensureDatabase(ctx context.Context, e *endpoint) error {
	config := e.pool.ConnConfig.Copy()
	config.Database = "postgres"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("home database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // nothing is left to lose
	var exists bool
	if err := conn.QueryRow(ctx, "select exists (select from pg_database where datname = $1)", Database).
		Scan(&exists); err != nil {
		return fmt.Errorf("home database: %w", err)
	}
	if !exists {
		if _, err := conn.Exec(ctx, "create database "+Database); err != nil {
			return fmt.Errorf("home database: %w", err)
		}
	}
	// The other databases have neither guard nor wall.
	if _, err := conn.Exec(ctx, "revoke connect on database postgres, template1 from public"); err != nil {
		return fmt.Errorf("home database: %w", err)
	}
	return nil
}

// bootstrap is what only the owner of the whole server can do: the first role, and a catalogue that is
// vacuumed often enough for the temporary tables of external reads.
const bootstrap = `
do $$
begin
  if not exists (select from pg_roles where rolname = 'admin') then
    create role admin login;
  end if;
  execute format('grant create, temporary on database %I to admin', current_database());
end $$;
grant usage, create on schema public to admin;
grant tablewright_monitor to admin;
grant usage on foreign data wrapper postgres, mysql, kafka, iceberg, venice, kubernetes to admin;

set local allow_system_table_mods = on;
alter table pg_catalog.pg_class set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
alter table pg_catalog.pg_attribute set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
alter table pg_catalog.pg_type set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
alter table pg_catalog.pg_depend set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
`
