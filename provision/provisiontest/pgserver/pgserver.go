// Package pgserver starts private PostgreSQL servers for tests: real ones, on TCP of loopback, with
// their own data folder, gone when the test is.
package pgserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// Superuser is the server's first role; it logs in with Password.
const (
	Superuser = "postgres"
	Password  = "planted-5Ecr3t-of-postgres"
)

const (
	startTimeout = 30 * time.Second
	stopTimeout  = 10 * time.Second
)

// Server is one running server.
type Server struct {
	Port uint16
	Dir  string // holds everything of the server; 0711

	bin     string
	account *syscall.Credential
	mu      sync.Mutex
	process *process
}

// Host is the address that servers listen on.
const Host = "127.0.0.1"

// Start initialises and starts a server with the given settings ("name=value") on top of fast ones.
// Callers stop it, or leave that to the end of their process, with which the server dies.
func Start(ctx context.Context, settings ...string) (*Server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	// Not below t.TempDir: its parent is closed to the account that the server must run as.
	dir, err := os.MkdirTemp("", "tw-pgserver-")
	if err != nil {
		return nil, err
	}
	s := &Server{Dir: dir, bin: bin}
	if err := s.prepare(ctx, settings); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := s.Up(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// binaries finds the newest installed server.
func binaries() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errors.New("no PostgreSQL server below /usr/lib/postgresql: run scripts/setup")
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(strings.Split(path, "/")[4])
		return n
	}
	newest := slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })
	return filepath.Dir(newest), nil
}

func (s *Server) prepare(ctx context.Context, settings []string) error {
	account, err := Account()
	if err != nil {
		return err
	}
	s.account = account
	password := filepath.Join(s.Dir, "password")
	if err := os.WriteFile(password, []byte(Password), 0o600); err != nil {
		return err
	}
	if err := s.Own(s.Dir, password); err != nil {
		return err
	}
	if err := os.Chmod(s.Dir, 0o711); err != nil {
		return err
	}
	initdb := s.command(ctx, "initdb", "-D", s.data(), "-U", Superuser, "--pwfile", password, "-A", "scram-sha-256",
		"-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions")
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	if s.Port, err = freePort(ctx); err != nil {
		return err
	}
	lines := append([]string{
		"listen_addresses='" + Host + "'", "unix_socket_directories=''", fmt.Sprintf("port=%d", s.Port), "fsync=off",
		"max_connections=100", "shared_buffers=16MB", "log_destination=stderr", "logging_collector=off",
	}, settings...)
	config, err := os.OpenFile(filepath.Join(s.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = config.WriteString("\n" + strings.Join(lines, "\n") + "\n")
	return errors.Join(err, config.Close())
}

// Account is whom servers that refuse to run as root run as where the test is root: postgres. It is nil
// elsewhere.
func Account() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("as root, servers run as the account postgres: %w", err)
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// Own gives files to the account that the server runs as.
func (s *Server) Own(paths ...string) error {
	if s.account == nil {
		return nil
	}
	for _, p := range paths {
		if err := os.Chown(p, int(s.account.Uid), int(s.account.Gid)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) data() string { return filepath.Join(s.Dir, "data") }

func (s *Server) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, program), args...)
	cmd.Dir = s.Dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.account, Setpgid: true, Pdeathsig: syscall.SIGQUIT}
	return cmd
}

// freePort is a port of Host that nobody listens on.
func freePort(ctx context.Context) (uint16, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", Host+":0")
	if err != nil {
		return 0, err
	}
	port := l.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // a TCP listener's
	return uint16(port), l.Close()
}

// process is the running postmaster.
type process struct {
	signal func(os.Signal) error
	ended  chan struct{}
	log    *bytes.Buffer // to be read after ended
}

// Up starts the server again after Down, and waits until it answers.
func (s *Server) Up(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	started := make(chan error, 1)
	p := &process{ended: make(chan struct{}), log: &bytes.Buffer{}}
	go func() {
		// The server is told to die with the thread that started it: the thread must live as long.
		runtime.LockOSThread()
		defer close(p.ended)
		cmd := s.command(context.WithoutCancel(ctx), "postgres", "-D", s.data())
		cmd.Stdout, cmd.Stderr = p.log, p.log
		err := cmd.Start()
		if err == nil {
			p.signal = cmd.Process.Signal
		}
		started <- err
		if err == nil {
			// How it ended is in its log.
			_ = cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	s.process = p
	return s.await(ctx, p)
}

func (s *Server) await(ctx context.Context, p *process) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		err := s.Exec(ctx, "postgres", "SELECT 1")
		if err == nil {
			return nil
		}
		select {
		case <-p.ended:
			return fmt.Errorf("postgres ended: %s", p.log)
		case <-ctx.Done():
			return fmt.Errorf("postgres does not answer: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Down stops the server at once, as a crash does.
func (s *Server) Down() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.process
	if p == nil {
		return nil
	}
	s.process = nil
	// It may have ended by itself; then there is nothing to signal.
	_ = p.signal(syscall.SIGQUIT)
	select {
	case <-p.ended:
		return nil
	case <-time.After(stopTimeout):
		return errors.New("postgres does not stop")
	}
}

// Stop stops the server and removes its folder.
func (s *Server) Stop() error { return errors.Join(s.Down(), os.RemoveAll(s.Dir)) }

// Connect logs in as the superuser, on a connection of the test's own.
func (s *Server) Connect(ctx context.Context, database string) (*pgx.Conn, error) {
	return pgx.Connect(ctx, fmt.Sprintf("host=%s port=%d user=%s password=%s dbname=%s sslmode=prefer",
		Host, s.Port, Superuser, Password, database))
}

// Exec runs statements as the superuser.
func (s *Server) Exec(ctx context.Context, database, sql string) error {
	conn, err := s.Connect(ctx, database)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	return errors.Join(err, conn.Close(ctx))
}
