// Package postmaster runs a PostgreSQL server as a child process that nobody else can reach: on a unix
// socket in a folder of its own, under an unprivileged user, and never longer than the process that
// started it.
//
// It works on Linux only: it reads /proc and relies on the parent-death signal.
//
// Lifetime. Start makes two kinds of goroutine. The supervisor (supervise) is locked to its thread,
// starts every child and waits for it; it ends when Stop was called and the child is gone, or when the
// first start fails. One prober a child (probe) ends when the child is ready, is gone, or Stop was called.
package postmaster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

// Superuser is the bootstrap role of the server. Only the unix socket's owner can log in as it.
const Superuser = "tablewright"

// Options describes the server to run.
type Options struct {
	// DataDir is the data folder of the gateway. The server's files are in its `home` folder, its socket
	// is in `run` when that path is short enough.
	DataDir string
	// BinDir is the folder of the server's binaries; empty means: look for them.
	BinDir string
	// User is the operating system user that the server runs as when this process is root; empty means
	// `postgres`. Without root the server runs as this process does.
	User string
	// MaxConnections is the server's max_connections; 0 means 200.
	MaxConnections int
	// Unsafe turns fsync off. For tests: a crash of the machine may lose everything.
	Unsafe bool
	// Log receives the server's own messages.
	Log zerolog.Logger
	// OnEvent, when set, is told when the server is ready and when it died. It is called from the
	// goroutines of this package and must not block.
	OnEvent func(Event)
}

// Event is a change of the child's state.
type Event struct {
	Ready bool  // true: logins work; false: the child is gone
	PID   int   // of the child
	Err   error // why it is gone
}

// Postmaster is a running server.
type Postmaster struct {
	opts   Options
	layout layout
	owner  owner
	bin    binaries

	stop     chan struct{} // closed by Stop
	stopOnce sync.Once
	done     chan struct{} // closed when the supervisor has ended
	probes   sync.WaitGroup

	pid   atomic.Int64 // of the running child, 0 when there is none
	ready atomic.Bool
}

// Start takes care of what an earlier run left, makes the database cluster if there is none, starts the
// server and returns when logins work. The caller holds the data folder's lock (see Lock).
func Start(ctx context.Context, opts Options) (*Postmaster, error) {
	if opts.MaxConnections == 0 {
		opts.MaxConnections = 200
	}
	p := &Postmaster{opts: opts, stop: make(chan struct{}), done: make(chan struct{})}
	if err := p.prepare(ctx); err != nil {
		return nil, err
	}
	first := make(chan error, 1)
	// The child must outlive the caller's context; it is ended by Stop.
	go p.supervise(context.WithoutCancel(ctx), first)
	select {
	case err := <-first:
		if err == nil {
			return p, nil
		}
		return nil, errors.Join(err, p.halt(ctx))
	case <-ctx.Done():
		return nil, errors.Join(fmt.Errorf("start of the home database: %w", context.Cause(ctx)), p.halt(ctx))
	}
}

// prepare finds the binaries, the user and the folders, and checks them.
func (p *Postmaster) prepare(ctx context.Context) error {
	var err error
	if p.owner, err = findOwner(p.opts.User); err != nil {
		return err
	}
	if p.layout, err = makeLayout(p.opts.DataDir, p.owner); err != nil {
		return err
	}
	major, err := clusterMajor(p.layout.data)
	if err != nil {
		return err
	}
	p.bin, err = findBinaries(ctx, p.opts.BinDir, major, p.layout.data)
	return err
}

// SocketDir is the folder of the server's unix socket; its port is 5432.
func (p *Postmaster) SocketDir() string { return p.layout.socket }

// PID is the process id of the running server, 0 while there is none.
func (p *Postmaster) PID() int { return int(p.pid.Load()) }

// Ready tells whether logins work, as far as this process knows.
func (p *Postmaster) Ready() bool { return p.ready.Load() }

// Version is the version that the server's binary reports, such as "15.18".
func (p *Postmaster) Version() string { return p.bin.version }

// Stop ends the server: a fast shutdown, after 10 s an immediate one, and at the end of ctx a kill. It
// returns when the child is gone.
func (p *Postmaster) Stop(ctx context.Context) error {
	p.stopOnce.Do(func() { close(p.stop) })
	select {
	case <-p.done:
	case <-ctx.Done():
		if pid := p.PID(); pid != 0 {
			if err := killVerified(pid, p.layout.data, killSignal); err != nil {
				return err
			}
		}
		<-p.done
	}
	p.probes.Wait()
	return nil
}

// halt ends a child whose start failed, also when that was because ctx has ended.
func (p *Postmaster) halt(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fastStopMax+immediateStopMax)
	defer cancel()
	return p.Stop(ctx)
}

func (p *Postmaster) tell(e Event) {
	if p.opts.OnEvent != nil {
		p.opts.OnEvent(e)
	}
}

// removeStaleFiles deletes what a dead server left. The shared memory key comes from the data folder's
// inode, so a server that still lives is found even without these files.
func (p *Postmaster) removeStaleFiles() error {
	for _, file := range []string{
		filepath.Join(p.layout.data, pidFile),
		filepath.Join(p.layout.socket, socketName+".lock"),
		filepath.Join(p.layout.socket, socketName),
	} {
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("stale file of an earlier run: %w", err)
		}
	}
	return nil
}

// Times of the child's life.
const (
	fastStopMax      = 10 * time.Second
	immediateStopMax = 5 * time.Second
	probePauseMax    = 50 * time.Millisecond
	restartPauseMin  = 100 * time.Millisecond
	restartPauseMax  = 10 * time.Second
)
