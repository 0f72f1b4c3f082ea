package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tablewright/tablewright/home/hometest"
)

// outcome is the SQLSTATE of a statement, or its command tag.
func outcome(t *testing.T, conn *pgx.Conn, sql string, mode pgx.QueryExecMode) string {
	t.Helper()
	tag, err := conn.Exec(t.Context(), sql, mode)
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return tag.String()
}

// An administrator makes roles without any right to do so at home; each way to more than that is refused.
func TestRolesByAdmin(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	g.asSuperuser(t,
		"create role boss superuser login password 'x'", "create role maker createrole", "create role copier replication",
		"create role passer bypassrls", "create role files in role pg_read_server_files", "create role deputy login in role boss",
		"create role watcher login in role pg_monitor",
	)
	admin := connect(t, g)
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeSimpleProtocol, pgx.QueryExecModeDescribeExec} {
		for _, c := range []struct{ sql, want string }{
			{"create role alice login password 'geheim' valid until '2999-01-01' connection limit 5", "CREATE ROLE"},
			{"create user bob encrypted password 'x''y' in role alice", "CREATE ROLE"},
			{"create group team with user alice role bob admin alice", "42601"}, // members twice
			{"create group team role bob admin alice", "CREATE ROLE"},
			{"create role alice", "42710"},
			{"alter role alice password 'neu' nologin", "ALTER ROLE"},
			{"alter role alice login", "ALTER ROLE"},
			{"alter group team drop user bob", "ALTER ROLE"},
			{"grant team, tablewright_monitor to bob with admin option", "GRANT ROLE"},
			{"revoke admin option for team from bob", "REVOKE ROLE"},
			{"revoke team from bob cascade", "REVOKE ROLE"},
			{"alter role bob rename to \"Bob's\"", "ALTER ROLE"},
			{"grant \"Bob's\" to watcher", "GRANT ROLE"},
			{"alter role watcher password null", "ALTER ROLE"},
			{"alter role admin password 'x'", "ALTER ROLE"},
			{"alter role current_user password 'y'", "ALTER ROLE"},
			{"alter role nobody_here password 'y'", "42704"},

			{"create role evil superuser", "42501"},
			{"create role evil createrole", "42501"},
			{"create role evil createdb", "42501"},
			{"create role evil replication", "42501"},
			{"create role evil bypassrls", "42501"},
			{"create role evil nosuperuser nocreaterole", "CREATE ROLE"},
			{"alter role evil superuser", "42501"},
			{"alter role evil createrole", "42501"},
			{"alter role evil bypassrls", "42501"},
			{"alter role evil replication", "42501"},
			{"grant tablewright to evil", "42501"},
			{"grant boss to evil", "42501"},
			{"grant deputy to evil", "42501"},
			{"grant files to evil", "42501"},
			{"grant maker to evil", "42501"},
			{"grant copier to evil", "42501"},
			{"grant passer to evil", "42501"},
			{"grant alice, pg_execute_server_program to evil", "42501"},
			{"grant pg_read_server_files to evil", "42501"},
			{"grant pg_write_server_files to evil", "42501"},
			{"grant pg_read_all_data to evil", "42501"},
			{"grant pg_monitor to evil", "42501"},
			{"revoke boss from deputy", "42501"},
			{"grant alice to evil granted by tablewright", "0A000"},
			{"create role more in role pg_execute_server_program", "42501"},
			{"create role more in role boss, alice", "42501"},
			{"create role more in group tablewright", "42501"},
			{"alter group boss add user evil", "42501"},
			{"alter role boss password 'x'", "42501"},
			{"alter role deputy password 'x'", "42501"},
			{"alter role files login password 'x'", "42501"},
			{"alter role tablewright password 'x'", "42501"},
			{"alter role boss rename to x", "42501"},
			{"alter role current_user superuser", "42501"},
			{"alter role session_user createrole", "42501"},
			{"grant current_user to evil", "42601"},
			{"alter role all set work_mem = '1GB'", "42501"},
			{"alter role alice set session_preload_libraries = 'x'", "42501"},
			{"drop role boss", "42501"},
			{"drop role tablewright", "42501"},
			{"drop role alice, maker", "42501"},
			{"drop role admin", "42501"},
			{"alter role tablewright_monitor rename to x", "42501"},
			{"do $$ begin execute 'create role evil2'; end $$", "42501"},
			{"select tablewright.change_roles('{\"text\": \"alter role admin superuser\", \"roles\": [], \"ended\": []}', '')", "42501"},
			{"select tablewright.change_roles('{\"text\": \"alter role admin superuser\"}', null)", "42501"},
			{"select tablewright.is_powerful('boss')", "42501"},
			// What another lexer would read as an attribute.
			{"set standard_conforming_strings = off", "SET"},
			{`create role evil3 valid until '2999-01-01\'' superuser --'`, "22007"},
			{`create role evil3 password 'a\'' superuser --'`, "CREATE ROLE"},
			{"reset standard_conforming_strings", "RESET"},
			{"drop role if exists evil, evil3, absent", "DROP ROLE"},
			{"drop role \"Bob's\", team, alice", "DROP ROLE"},
		} {
			if got := outcome(t, admin, c.sql, mode); got != c.want {
				t.Errorf("%v: %s: got %s, want %s", mode, c.sql, got, c.want)
			}
		}
		var super int
		err := admin.QueryRow(t.Context(), `select count(*) from pg_roles where rolsuper and rolname not in ('tablewright', 'boss')
			or rolcreaterole and rolname not in ('tablewright', 'maker')`).Scan(&super)
		if err != nil || super != 0 {
			t.Errorf("%d roles have become more than they may be, %v", super, err)
		}
	}
}

// Roles are made in the administrator's own transaction, and what is kept of a password is a verifier.
func TestRolesInTransactions(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	admin := connect(t, g, func(c *pgx.ConnConfig) { c.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol })
	mustExec(t, admin, "begin")
	mustExec(t, admin, "create role gone login password 'Sesam-1'")
	mustExec(t, admin, "rollback")
	mustExec(t, admin, "create role a login password 'Sesam-2'; create role b login; grant a to b")
	if _, err := admin.Exec(t.Context(), "create role c; select 1/0"); err == nil {
		t.Error("the script succeeded")
	}
	if _, err := admin.Exec(t.Context(), "create role a password 'Sesam-3'"); err == nil {
		t.Error("a role was made twice")
	}
	b := connect(t, g, func(c *pgx.ConnConfig) { c.User = "b" })
	for sql, want := range map[string]string{
		"alter role b password 'Sesam-4'": "ALTER ROLE",
		"alter role a password 'Sesam-5'": "42501",
		"create role d":                   "42501",
		"drop role a":                     "42501",
	} {
		if got := outcome(t, b, sql, pgx.QueryExecModeDescribeExec); got != want {
			t.Errorf("as a plain role: %s: got %s, want %s", sql, got, want)
		}
	}
	super, err := pgx.Connect(t.Context(), fmt.Sprintf("host=%s user=tablewright dbname=tablewright", filepath.Join(g.dir, "run")))
	if err != nil {
		t.Fatal(err)
	}
	defer super.Close(context.Background())
	var got string
	err = super.QueryRow(t.Context(), `select string_agg(rolname || ' ' || coalesce(left(rolpassword, 19), '-'), ', ' order by rolname)
		from pg_authid where rolname in ('a', 'b', 'c', 'd', 'gone')`).Scan(&got)
	if want := "a SCRAM-SHA-256$4096:, b SCRAM-SHA-256$4096:"; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	var found int
	err = super.QueryRow(t.Context(), `select (select count(*) from tablewright.job j where j::text like '%Sesam%')
		+ (select count(*) from pg_stat_activity where query like '%Sesam-%' and pid <> pg_backend_pid())`).Scan(&found)
	if err != nil || found != 0 || strings.Contains(g.output(), "Sesam") {
		t.Errorf("a password has been kept: %d, %v\n%s", found, err, g.output())
	}
}

// The gateway's role at an external home database has CREATEROLE, and is no superuser.
func TestRolesAtExternalHome(t *testing.T) {
	t.Parallel()
	dsn := hometest.External(t)
	g := newGateway(hometest.Dir(t))
	g.args, g.db = []string{"--home-dsn", dsn}, "postgres"
	startAndStop(t, g)
	admin := connect(t, g)
	var got []string
	for _, sql := range []string{
		"create role alice login password 'x'", "grant admin to alice", "alter role alice password 'y'",
		"grant pg_read_server_files to alice", "alter role alice superuser", "grant " + hometest.ExternalOwner + " to alice",
		"alter role " + hometest.ExternalOwner + " password 'x'", "revoke admin from alice", "drop role alice",
	} {
		got = append(got, outcome(t, admin, sql, pgx.QueryExecModeDescribeExec))
	}
	want := []string{"CREATE ROLE", "GRANT ROLE", "ALTER ROLE", "42501", "42501", "42501", "42501", "REVOKE ROLE", "DROP ROLE"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if committed, err := os.ReadFile("../../configs/home-setup.sql"); err != nil || !strings.Contains(string(committed), "change_roles(text, text) owner to") {
		t.Errorf("configs/home-setup.sql is not that of this release: %v", err)
	}
}
