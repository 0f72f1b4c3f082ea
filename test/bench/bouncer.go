package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
)

// bouncerProgram is where Debian puts it, which is not in everybody's PATH.
const bouncerProgram = "/usr/sbin/pgbouncer"

const bouncerStartMax = 10 * time.Second

// startBouncer starts PgBouncer in front of the home server. A session has a server connection to itself, as in
// the gateway; between sessions PgBouncer keeps them.
func (st *stage) startBouncer(ctx context.Context) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	config, err := st.bouncerFiles(ctx, port)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), bouncerProgram, "-q", config)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started, ended := make(chan error, 1), make(chan error, 1)
	go func() {
		// It is told to end with the thread that started it: the thread must live as long.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			ended <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("PgBouncer, which `scripts/setup bench` installs: %w", err)
	}
	st.stops = append(st.stops, func() error {
		if err := cmd.Process.Kill(); err != nil {
			return err
		}
		<-ended
		return nil
	})
	st.targets = append(st.targets, target{bouncer, port})
	return awaitBouncer(ctx, port, ended)
}

func awaitBouncer(ctx context.Context, port int, ended <-chan error) error {
	ctx, cancel := context.WithTimeout(ctx, bouncerStartMax)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, fmt.Sprintf("host=127.0.0.1 port=%d user=%s dbname=%s sslmode=disable", port, user, database))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ended:
			return errors.New("PgBouncer ended; see its messages above")
		case <-ctx.Done():
			return fmt.Errorf("PgBouncer does not answer: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
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

func freePort() (int, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // returns at once
	if err != nil {
		return 0, err
	}
	return ln.Addr().(*net.TCPAddr).Port, ln.Close() //nolint:forcetypeassert // a TCP listener's
}
