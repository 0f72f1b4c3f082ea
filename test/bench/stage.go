package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
	"github.com/tablewright/tablewright/test/gatewaytest"
)

const (
	database       = gatewaytest.Database
	owner          = "tablewright" // the gateway's own role
	user           = "bench"       // trusted
	scramUser      = "bench_scram" // asked for clientPassword
	clientPassword = "bench-5Ecr3t"
	scale          = 5 // of pgbench's tables
)

// stage is everything that takes part: two PostgreSQL servers (the home database, which all targets lead to, and
// one for external tables), PgBouncer, the copier and the gateway.
type stage struct {
	dir          string // readable by the servers' account
	home, remote *pgserver.Server
	gateway      *gatewaytest.Gateway
	targets      []target
	stops        []func() error // in the order of starting
}

// serverSettings are those of both PostgreSQL servers: durable, as in production.
func serverSettings() []string {
	return []string{"fsync=on", "synchronous_commit=on", "full_page_writes=on", "max_connections=1300", "shared_buffers=256MB"}
}

func newStage(ctx context.Context) (_ *stage, err error) {
	st := &stage{}
	defer func() {
		if err != nil {
			st.close()
		}
	}()
	for _, start := range []func(context.Context) error{
		st.startServers, st.prepareHome, st.writeFiles, st.startCopier, st.startBouncer, st.startGateway,
	} {
		if err := start(ctx); err != nil {
			return nil, err
		}
	}
	return st, nil
}

// close stops everything, the last first.
func (st *stage) close() {
	for _, stop := range slices.Backward(st.stops) {
		if err := stop(); err != nil {
			progress("%v", err)
		}
	}
}

func (st *stage) startServers(ctx context.Context) (err error) {
	progress("starting PostgreSQL, PgBouncer and Tablewright")
	if st.dir, err = os.MkdirTemp("", "tw-bench-"); err != nil {
		return err
	}
	st.stops = append(st.stops, func() error { return os.RemoveAll(st.dir) })
	for _, server := range []**pgserver.Server{&st.home, &st.remote} {
		if *server, err = pgserver.Start(ctx, serverSettings()...); err != nil {
			return err
		}
		st.stops = append(st.stops, (*server).Stop)
	}
	st.targets = append(st.targets, target{direct, int(st.home.Port), 0})
	return nil
}

// prepareHome makes the home database as an administrator does, with pgbench's tables in it.
func (st *stage) prepareHome(ctx context.Context) error {
	psql := st.client(ctx, "psql", "-X", "-q", "-d", "postgres", "-v", "owner="+owner, "-v", "database="+database)
	psql.Stdin = strings.NewReader(home.SetupScript())
	if out, err := psql.CombinedOutput(); err != nil {
		return fmt.Errorf("home setup: %w\n%s", err, out)
	}
	err := st.home.Exec(ctx, database, fmt.Sprintf(`create role %[1]s login; create role %[2]s login password '%[3]s';
		grant create on schema public to %[1]s`, user, scramUser, clientPassword))
	if err != nil {
		return err
	}
	init := st.client(ctx, "pgbench", "-i", "-q", "-s", fmt.Sprint(scale), database)
	if out, err := init.CombinedOutput(); err != nil {
		return fmt.Errorf("pgbench -i: %w\n%s", err, out)
	}
	return st.home.Exec(ctx, database, "grant select on all tables in schema public to public; checkpoint")
}

// client is a program of PostgreSQL's that connects to the home database as its superuser.
func (st *stage) client(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "PGHOST="+pgserver.Host, fmt.Sprintf("PGPORT=%d", st.home.Port),
		"PGUSER="+pgserver.Superuser, "PGPASSWORD="+pgserver.Password)
	return cmd
}

// answerMax is how long a server may take to begin.
const answerMax = 10 * time.Second

// await waits until a process lets a client in.
func (st *stage) await(ctx context.Context, port int, p *process) error {
	ctx, cancel := context.WithTimeout(ctx, answerMax)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, clientDSN(port))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-p.ended:
			return errors.New("the process ended; see its messages above")
		case <-ctx.Done():
			return fmt.Errorf("port %d does not answer: %w", port, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func clientDSN(port int) string {
	return fmt.Sprintf("host=127.0.0.1 port=%d user=%s dbname=%s sslmode=disable", port, user, database)
}

// startGateway starts the binary with the same PostgreSQL as its home database.
func (st *stage) startGateway(ctx context.Context) (err error) {
	if st.gateway, err = st.newGateway(ctx); err != nil {
		return err
	}
	st.stops = append(st.stops, st.gateway.Stop)
	st.targets = append(st.targets, target{gateway, st.gateway.Port, st.gateway.PID})
	return nil
}

// newGateway starts a further one: memory is measured on one that has done nothing else.
func (st *stage) newGateway(ctx context.Context) (*gatewaytest.Gateway, error) {
	return gatewaytest.Start(ctx, "TABLEWRIGHT_CONFIG="+filepath.Join(st.dir, gatewayFile),
		fmt.Sprintf("TABLEWRIGHT_HOME_DSN=host=%s port=%d user=%s dbname=%s sslmode=disable", pgserver.Host, st.home.Port, owner, database))
}

// describe prints what the figures were taken on.
func (st *stage) describe(ctx context.Context) error {
	var version string
	for _, server := range []*pgserver.Server{st.home, st.remote} {
		var err error
		if version, err = durable(ctx, server); err != nil {
			return err
		}
	}
	pooler, err := exec.CommandContext(ctx, bouncerProgram, "--version").Output()
	if err != nil {
		return err
	}
	fmt.Printf("%d × %s, %s. PostgreSQL %s (fsync and synchronous_commit on), %s, Go %s.\n", runtime.NumCPU(), processor(),
		kernel(), version, strings.SplitN(string(pooler), "\n", 2)[0], strings.TrimPrefix(runtime.Version(), "go"))
	return nil
}

// durable makes sure that a server keeps what it has committed, and returns its version.
func durable(ctx context.Context, server *pgserver.Server) (version string, err error) {
	conn, err := server.Connect(ctx, "postgres")
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	var on bool
	err = conn.QueryRow(ctx, `select current_setting('server_version'),
		(select bool_and(setting = 'on') from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes'))`).Scan(&version, &on)
	if err == nil && !on {
		err = errors.New("the servers must run with fsync, synchronous_commit and full_page_writes on")
	}
	return version, err
}

// processor is the machine's, as Linux names it.
func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo") // unknown when it cannot be read
	for line := range strings.Lines(string(info)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func kernel() string {
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return "Linux " + strings.TrimSpace(string(release))
}
