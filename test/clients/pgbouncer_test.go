package clients

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
	"github.com/tablewright/tablewright/test/gatewaytest"
)

// throughPgBouncer lets a program of another client run with a PgBouncer between, which asks it for encryption
// and SCRAM and brings both to the server itself.
func throughPgBouncer(mode string, program func(context.Context, *side) (string, error)) func(context.Context, *side) (string, error) {
	return func(ctx context.Context, s *side) (out string, err error) {
		b := &bouncer{mode: mode, size: map[string]int{"session": poolSize + 10, "transaction": 8}[mode]}
		if err := b.start(ctx, s.port); err != nil {
			return "", fmt.Errorf("pgbouncer: %w\n%s", err, &b.log)
		}
		defer func() {
			if err = errors.Join(err, b.stop()); err != nil {
				err = fmt.Errorf("%w\n--- PgBouncer's log\n%s", err, &b.log)
			}
		}()
		pooled := *s
		pooled.port, pooled.behind, pooled.limited = b.port, s.port, mode == "transaction"
		return program(ctx, &pooled)
	}
}

type bouncer struct {
	mode  string
	size  int // connections to the server
	port  int
	dir   string
	log   bytes.Buffer // to be read after its end
	stop  func() error
	ended chan error
}

func (b *bouncer) start(ctx context.Context, server int) error {
	account, err := pgserver.Account()
	if err != nil {
		return err
	}
	b.port = gatewaytest.FreePort()
	if b.dir, err = os.MkdirTemp("", "tw-pgbouncer-"); err != nil {
		return err
	}
	if err := b.configure(server, account); err != nil {
		return errors.Join(err, os.RemoveAll(b.dir))
	}
	cmd := exec.Command(program("pgbouncer"), filepath.Join(b.dir, "pgbouncer.ini"))
	cmd.Stdout, cmd.Stderr, cmd.Dir = &b.log, &b.log, b.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: account, Pdeathsig: syscall.SIGTERM}
	started := make(chan error, 1)
	b.ended = make(chan error, 1)
	go func() {
		// It is told to end with the thread that started it: the thread must live as long.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			b.ended <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return errors.Join(err, os.RemoveAll(b.dir))
	}
	b.stop = func() error {
		// SIGTERM is an immediate shutdown of PgBouncer.
		err := cmd.Process.Signal(syscall.SIGTERM)
		if err == nil {
			<-b.ended
		}
		return errors.Join(err, os.RemoveAll(b.dir))
	}
	if err := b.await(ctx); err != nil {
		return errors.Join(err, b.stop())
	}
	return nil
}

// program is the path of a server that Debian does not put into everybody's PATH.
func program(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	return filepath.Join("/usr/sbin", name)
}

func (b *bouncer) configure(server int, account *syscall.Credential) error {
	var failed error
	for _, name := range []string{"server.crt", "server.key", "ca.crt"} {
		data, err := os.ReadFile(authority.File(name))
		failed = errors.Join(failed, err, os.WriteFile(filepath.Join(b.dir, name), data, 0o600))
	}
	quoted := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	for name, text := range map[string]string{
		"users.txt": quoted(user) + " " + quoted(password) + "\n",
		"pgbouncer.ini": fmt.Sprintf(`
[databases]
%[1]s = host=127.0.0.1 port=%[2]d
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %[3]d
unix_socket_dir =
pool_mode = %[4]s
default_pool_size = %[5]d
max_client_conn = 200
auth_type = scram-sha-256
auth_file = %[6]s/users.txt
ignore_startup_parameters = extra_float_digits
client_tls_sslmode = require
client_tls_cert_file = %[6]s/server.crt
client_tls_key_file = %[6]s/server.key
server_tls_sslmode = verify-full
server_tls_ca_file = %[6]s/ca.crt
`, gatewaytest.Database, server, b.port, b.mode, b.size, b.dir),
	} {
		failed = errors.Join(failed, os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600))
	}
	if account == nil {
		return failed
	}
	for _, name := range []string{".", "users.txt", "pgbouncer.ini", "server.crt", "server.key", "ca.crt"} {
		failed = errors.Join(failed, os.Chown(filepath.Join(b.dir, name), int(account.Uid), int(account.Gid)))
	}
	return failed
}

// await waits until it listens.
func (b *bouncer) await(ctx context.Context) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", b.port))
		if err == nil {
			return conn.Close()
		}
		select {
		case err := <-b.ended:
			b.ended <- err
			return fmt.Errorf("ended at once: %w", err)
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// Behind a pool of transactions what a session keeps is the server connection's, and the next client's: as with
// PostgreSQL. What docs/clients.md advises against is shown here with a pool of one connection.
func TestTransactionPooling(t *testing.T) {
	for name, port := range map[string]int{"gateway": gateway.Port, "postgres": int(server.Port)} {
		t.Run(name, func(t *testing.T) {
			b := &bouncer{mode: "transaction", size: 1}
			if err := b.start(t.Context(), port); err != nil {
				t.Fatalf("%v\n%s", err, &b.log)
			}
			defer func() {
				if err := b.stop(); err != nil {
					t.Error(err)
				}
			}()
			at := connectionURL(user, password, b.port, gatewaytest.Database)
			if _, err := pgx.Connect(t.Context(), at+"&channel_binding=require"); err == nil {
				t.Error("PgBouncer binds channels: say so in docs/clients.md")
			}
			var clients [2]*pgx.Conn
			for i := range clients {
				conn, err := pgx.Connect(t.Context(), at)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close(context.Background())
				clients[i] = conn
			}
			for i, c := range []struct{ one, other, want string }{
				{"SET tablewright.on_timeout = notice", "SHOW tablewright.on_timeout", "notice"},
				{"SET work_mem = '5MB'", "SHOW work_mem", "5MB"},
				{"SELECT pg_advisory_lock(1)", "SELECT pg_try_advisory_lock(1)::text", "true"},
				{"BEGIN; SET LOCAL work_mem = '6MB'; COMMIT", "SHOW work_mem", "5MB"},
			} {
				var got string
				if _, err := clients[0].Exec(t.Context(), c.one, pgx.QueryExecModeSimpleProtocol); err != nil {
					t.Fatalf("%d: %v", i, err)
				}
				err := clients[1].QueryRow(t.Context(), c.other, pgx.QueryExecModeSimpleProtocol).Scan(&got)
				if err != nil || got != c.want {
					t.Errorf("%s, then by another client %s: %q, %v, want %q", c.one, c.other, got, err, c.want)
				}
			}
			if _, err := clients[0].Prepare(t.Context(), "named", "SELECT 1"); err != nil {
				t.Fatal(err)
			}
			_, err := clients[1].Prepare(t.Context(), "named", "SELECT 1")
			if e, ok := errors.AsType[*pgconn.PgError](err); !ok || e.Code != "42P05" {
				t.Errorf("the same name by another client: %v, want 42P05", err)
			}
		})
	}
}
