package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
	"github.com/tablewright/tablewright/test/gatewaytest"
)

// bouncerProgram is where Debian puts it, which is not in everybody's PATH.
const bouncerProgram = "/usr/sbin/pgbouncer"

// startBouncer starts PgBouncer in front of the home server. A session has a server connection to itself, as in
// the gateway; between sessions PgBouncer keeps them.
func (st *stage) startBouncer(ctx context.Context) error {
	port := gatewaytest.FreePort()
	config, err := st.bouncerFiles(ctx, port)
	if err != nil {
		return err
	}
	p, err := startProcess(ctx, bouncerProgram, "-q", config)
	if err != nil {
		return fmt.Errorf("PgBouncer, which `scripts/setup bench` installs: %w", err)
	}
	st.stops = append(st.stops, p.stop)
	st.targets = append(st.targets, target{bouncer, port, p.pid})
	return st.await(ctx, port, p)
}

// bouncerFiles writes the configuration and returns its path. Users are who they are at the home server.
func (st *stage) bouncerFiles(ctx context.Context, port int) (string, error) {
	conn, err := st.home.Connect(ctx, "postgres")
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	var verifier string
	if err := conn.QueryRow(ctx, "select rolpassword from pg_authid where rolname = $1", scramUser).Scan(&verifier); err != nil {
		return "", err
	}
	path := func(name string) string { return filepath.Join(st.dir, name) }
	ini := fmt.Sprintf(`[databases]
%s = host=%s port=%d
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = hba
auth_hba_file = %s
auth_file = %s
pool_mode = session
max_client_conn = 2000
default_pool_size = 200
client_tls_sslmode = allow
client_tls_cert_file = %s
client_tls_key_file = %s
`, database, pgserver.Host, st.home.Port, port, path("pgbouncer_hba"), path("users"), path(certFile), path(keyFile))
	if os.Geteuid() == 0 {
		ini += "user = postgres\n" // it does not run as root
	}
	users := fmt.Sprintf("%q \"\"\n%q %q\n", user, scramUser, verifier)
	for name, text := range map[string]string{"pgbouncer.ini": ini, "pgbouncer_hba": rules(), "users": users} {
		if err := errors.Join(os.WriteFile(path(name), []byte(text), 0o600), st.home.Own(path(name))); err != nil {
			return "", err
		}
	}
	return path("pgbouncer.ini"), nil
}
