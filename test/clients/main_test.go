// Package clients lets PostgreSQL's clients and drivers, each by a program in its own language, do with a
// running gateway what people do with them. The same program runs with a PostgreSQL, where ordinary tables
// stand in for the managed ones; both must be told the same.
package clients

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
	"github.com/tablewright/tablewright/test/gatewaytest"
)

const (
	user     = "alice"
	password = "geheim ß'\\" // with characters that connection strings of drivers must keep
)

var (
	gateway   *gatewaytest.Gateway
	server    *pgserver.Server // the system of catalogs pg and slow, and the reference
	authority *gatewaytest.Authority
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "tw-clients-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// PgBouncer, which runs as another account, reads the authority's certificate.
	if err := os.Chmod(dir, 0o711); err != nil {
		return 0, err
	}
	if authority, err = gatewaytest.NewAuthority(dir); err != nil {
		return 0, err
	}
	if server, err = pgserver.Start(ctx, "timezone=UTC", "max_connections=300"); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	if err := prepareServer(ctx); err != nil {
		return 0, err
	}
	if err := writeConfig(filepath.Join(dir, "tablewright.yaml")); err != nil {
		return 0, err
	}
	gateway, err = gatewaytest.Start(ctx, "TABLEWRIGHT_CONFIG="+filepath.Join(dir, "tablewright.yaml"),
		"TABLEWRIGHT_SECRET_PG="+pgserver.Password)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, gateway.Stop()) }()
	if err := prepareGateway(ctx); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// prepareServer makes the reference: encryption, the role of the clients, and the tables that all share.
func prepareServer(ctx context.Context) error {
	if err := authority.Issue("server", 2); err != nil {
		return err
	}
	if err := os.Chmod(authority.File("ca.crt"), 0o644); err != nil {
		return err
	}
	hba := filepath.Join(server.Dir, "data", "pg_hba.conf")
	if err := os.WriteFile(hba, []byte("hostssl all all 127.0.0.1/32 scram-sha-256\n"), 0o600); err != nil {
		return err
	}
	for _, name := range []string{"server.crt", "server.key"} {
		data, err := os.ReadFile(authority.File(name))
		if err != nil {
			return err
		}
		path := filepath.Join(server.Dir, "data", name)
		if err := errors.Join(os.WriteFile(path, data, 0o600), server.Own(path)); err != nil {
			return err
		}
	}
	// Read again at SIGHUP, which is not waited for: the next start reads them too.
	for _, sql := range []string{
		"CREATE ROLE " + user + " LOGIN PASSWORD " + literal(password), "CREATE DATABASE pg", "CREATE DATABASE slow",
		"CREATE DATABASE " + gatewaytest.Database + " OWNER " + user, "ALTER SYSTEM SET ssl = on",
	} {
		if err := server.Exec(ctx, "postgres", sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	if err := errors.Join(server.Down(), server.Up(ctx)); err != nil {
		return err
	}
	return server.Exec(ctx, gatewaytest.Database, `CREATE SCHEMA "pg.shared"; CREATE TABLE "pg.shared".big (id int PRIMARY KEY, word text);
		INSERT INTO "pg.shared".big `+bigRows+`; GRANT USAGE ON SCHEMA "pg.shared" TO `+user+`; GRANT SELECT ON "pg.shared".big TO `+user)
}

// bigRows are more than the gateway reads, and drivers fetch, at once.
const bigRows = "SELECT i, 'word ' || i FROM generate_series(1, 2500) i"

func literal(s string) string {
	return "E'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'"
}

func writeConfig(path string) error {
	return os.WriteFile(path, []byte(fmt.Sprintf(`
tls: {cert_file: %s, key_file: %s}
auth:
  rules:
    - hostssl all admin 127.0.0.1 trust
    - hostssl all all 127.0.0.1 scram-sha-256
`, authority.File("server.crt"), authority.File("server.key"))), 0o600)
}

// prepareGateway registers the server twice, once with statements and once with jobs that do the work, and
// makes the clients' role as an administrator does.
func prepareGateway(ctx context.Context) error {
	admin, err := asAdmin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = admin.Close(ctx) }()
	catalog := "CREATE CATALOG %[1]s WITH (type = 'postgres', host = '" + pgserver.Host + "', port = %[2]d, user = '" +
		pgserver.Superuser + "', password = 'env:TABLEWRIGHT_SECRET_PG', database = '%[1]s', provisioning = '%[3]s')"
	for _, sql := range []string{
		fmt.Sprintf(catalog, "pg", server.Port, "inline"), fmt.Sprintf(catalog, "slow", server.Port, "job"),
		"CREATE ROLE " + user + " LOGIN PASSWORD " + literal(password),
		"CREATE SCHEMA pg.shared", "CREATE TABLE pg.shared.big (id int PRIMARY KEY, word text)",
		`GRANT USAGE ON SCHEMA "pg.shared" TO ` + user, "GRANT SELECT ON pg.shared.big TO " + user,
	} {
		if _, err := admin.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return server.Exec(ctx, "pg", "INSERT INTO shared.big "+bigRows)
}

func asAdmin(ctx context.Context) (*pgx.Conn, error) {
	return pgx.Connect(ctx, fmt.Sprintf("postgres://admin@%s/%s?sslmode=verify-full&sslrootcert=%s",
		gateway.Address(), gatewaytest.Database, authority.File("ca.crt")))
}
