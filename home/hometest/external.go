package hometest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rs/zerolog"

	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/home/postmaster"
)

// Names of what External sets up.
const (
	ExternalOwner    = "gateway_owner"
	ExternalDatabase = "gateway_home"
)

// Bare starts a PostgreSQL with nothing in it and returns the folder of its socket. Its superuser is
// postmaster.Superuser.
func Bare(tb testing.TB) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), startMax)
	defer cancel()
	server, err := postmaster.Start(ctx, postmaster.Options{DataDir: Dir(tb), Unsafe: true, Log: zerolog.Nop()})
	if err != nil {
		tb.Fatalf("PostgreSQL: %v", err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), startMax)
		defer cancel()
		if err := server.Stop(ctx); err != nil {
			tb.Errorf("PostgreSQL: %v", err)
		}
	})
	return server.SocketDir()
}

// External prepares a bare PostgreSQL with configs/home-setup.sql and returns the connection string of the
// gateway's role, which is no superuser.
func External(tb testing.TB) string {
	tb.Helper()
	socket := Bare(tb)
	RunSetup(tb, socket)
	return DSN(socket, ExternalOwner, ExternalDatabase)
}

// DSN is a connection string for a server's socket.
func DSN(socket, user, database string) string {
	return fmt.Sprintf("host=%s user=%s dbname=%s sslmode=disable", socket, user, database)
}

// RunSetup runs the setup script by psql, as an administrator does.
func RunSetup(tb testing.TB, socket string) {
	tb.Helper()
	script := filepath.Join(tb.TempDir(), "home-setup.sql")
	if err := os.WriteFile(script, []byte(home.SetupScript()), 0o600); err != nil {
		tb.Fatal(err)
	}
	cmd := exec.CommandContext(tb.Context(), psql(tb), "-X", "-q", "-h", socket, "-U", postmaster.Superuser, "-d", "postgres",
		"-v", "owner="+ExternalOwner, "-v", "database="+ExternalDatabase, "-f", script)
	cmd.Env = []string{"LC_ALL=C.UTF-8", "PATH=" + os.Getenv("PATH")}
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("setup script: %v\n%s", err, out)
	}
}

func psql(tb testing.TB) string {
	tb.Helper()
	if path, err := exec.LookPath("psql"); err == nil {
		return path
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/psql")
	if err != nil || len(found) == 0 {
		tb.Fatalf("psql is not installed (looked in PATH and /usr/lib/postgresql/*/bin)")
	}
	return found[len(found)-1]
}
