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

const (
	certName    = "server"
	certFile    = certName + ".crt"
	keyFile     = certName + ".key"
	gatewayFile = "tablewright.yaml"
)

// writeFiles writes pgbench's scripts, one certificate for all servers, the gateway's configuration and the home
// server's rules.
func (st *stage) writeFiles(ctx context.Context) error {
	if err := os.Chmod(st.dir, 0o755); err != nil {
		return err
	}
	for name, text := range scripts() {
		if err := os.WriteFile(filepath.Join(st.dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	config := fmt.Sprintf(`tls: {cert_file: %q, key_file: %q}
auth:
  rules:
    - host all %s 127.0.0.0/8 scram-sha-256
    - host all all 127.0.0.0/8 trust
limits: {home_connections_max: 1200, connections_per_second_max: 100000}
`, filepath.Join(st.dir, certFile), filepath.Join(st.dir, keyFile), scramUser)
	if err := os.WriteFile(filepath.Join(st.dir, gatewayFile), []byte(config), 0o600); err != nil {
		return err
	}
	return errors.Join(st.writeCertificate(), st.admit(ctx))
}

// rules let the same clients in at the home server as at PgBouncer and the gateway.
func rules() string {
	return fmt.Sprintf("host all %s 127.0.0.1/32 scram-sha-256\nhost all %s 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n",
		pgserver.Superuser, scramUser)
}

// admit gives the home server its rules and its certificate.
func (st *stage) admit(ctx context.Context) error {
	path := filepath.Join(st.home.Dir, "data", "pg_hba.conf")
	if err := errors.Join(os.WriteFile(path, []byte(rules()), 0o600), st.home.Own(path)); err != nil {
		return err
	}
	for _, sql := range []string{
		"alter system set ssl_cert_file = '" + filepath.Join(st.dir, certFile) + "'",
		"alter system set ssl_key_file = '" + filepath.Join(st.dir, keyFile) + "'",
		"alter system set ssl = on",
		"select pg_reload_conf()",
	} {
		if err := st.home.Exec(ctx, "postgres", sql); err != nil {
			return err
		}
	}
	return nil
}

// writeCertificate makes one certificate for all servers; clients do not check it.
func (st *stage) writeCertificate() error {
	authority, err := gatewaytest.NewAuthority(st.dir)
	if err != nil {
		return err
	}
	return errors.Join(authority.Issue(certName, 2), st.home.Own(filepath.Join(st.dir, certFile)), st.home.Own(filepath.Join(st.dir, keyFile)))
}
