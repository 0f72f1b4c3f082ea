package postmaster

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// errSharedMemory is a start that failed because a backend of the earlier server still lives.
var errSharedMemory = errors.New("a process of the earlier server still lives")

// errStopped is a start that was given up by Stop.
var errStopped = errors.New("the start of the home database was given up")

// firstStartTries bounds how often the first start is repeated after stragglers were ended.
const firstStartTries = 3

// supervise owns the child: it makes the cluster, starts the server, waits for it and starts it again
// when it dies. It stays on one thread and never gives it back, because the parent-death signal is sent
// when the *thread* ends that started the child. The result of the first start goes to first.
func (p *Postmaster) supervise(ctx context.Context, first chan<- error) {
	runtime.LockOSThread()
	defer close(p.done)
	if err := p.ensureCluster(ctx); err != nil {
		first <- err
		return
	}
	serving := false // the first start has succeeded
	pause := restartPauseMin
	for try := 1; !p.stopping(); try++ {
		started := time.Now()
		wasReady, err := p.runOnce(ctx, func() {
			if !serving {
				serving = true
				first <- nil
			}
		})
		if p.stopping() {
			break
		}
		straggler := errors.Is(err, errSharedMemory)
		if straggler {
			err = errors.Join(err, p.clearStragglers(ctx))
		}
		if !serving && (!straggler || try >= firstStartTries) {
			first <- err
			return
		}
		if wasReady && time.Since(started) > restartPauseMax {
			pause = restartPauseMin
		}
		p.opts.Log.Error().Err(err).Dur("pause_ms", pause).Msg("the home database ended, starting it again")
		if !p.sleep(pause) {
			break
		}
		pause = min(2*pause, restartPauseMax)
	}
	if !serving {
		first <- errStopped
	}
}

// runOnce starts the server and returns when it has ended, telling whether it had been ready and why it
// ended. onReady is called before it returns, on this goroutine's behalf but from the prober's.
func (p *Postmaster) runOnce(ctx context.Context, onReady func()) (bool, error) {
	if err := p.clearPredecessor(ctx); err != nil {
		return false, err
	}
	output := newOutput(p.opts.Log)
	cmd := exec.CommandContext(ctx, p.bin.postgres(), p.serverArgs()...)
	p.dress(cmd, immediateStop)
	cmd.Stdout, cmd.Stderr = output, output
	// A backend that outlives a killed postmaster keeps the pipe open.
	cmd.WaitDelay = 2 * time.Second
	if err := cmd.Start(); err != nil {
		return false, fmt.Errorf("start of the home database: %w", err)
	}
	pid := cmd.Process.Pid
	p.pid.Store(int64(pid))

	gone := make(chan struct{})
	probed := make(chan bool, 1)
	p.probes.Go(func() {
		ok := p.probe(ctx, pid, gone)
		if ok {
			p.ready.Store(true)
			onReady()
			p.tell(Event{Ready: true, PID: pid})
		}
		probed <- ok
	})
	p.probes.Go(func() { p.endOnStop(cmd, gone) })
	waitErr := cmd.Wait()
	close(gone)
	wasReady := <-probed
	p.pid.Store(0)
	p.ready.Store(false)
	err := output.explain(waitErr)
	if wasReady {
		p.tell(Event{PID: pid, Err: err})
	}
	return wasReady, err
}

// endOnStop ends the child when Stop is called.
func (p *Postmaster) endOnStop(cmd *exec.Cmd, gone <-chan struct{}) {
	select {
	case <-gone:
		return
	case <-p.stop:
	}
	// An error means that the child is gone already; Wait reports that.
	_ = cmd.Process.Signal(fastStop)
	timer := time.NewTimer(fastStopMax)
	defer timer.Stop()
	select {
	case <-gone:
	case <-timer.C:
		_ = cmd.Process.Signal(immediateStop)
	}
}

// probe waits until the server answers logins. A login alone proves nothing, an older server may answer
// on the same socket: the pid file must name this child as well.
func (p *Postmaster) probe(ctx context.Context, pid int, gone <-chan struct{}) bool {
	pause := 5 * time.Millisecond
	for {
		if p.loginWorks(ctx) {
			if owner, err := readPIDFile(p.layout.data); err == nil && owner == pid {
				return true
			}
		}
		timer := time.NewTimer(pause)
		select {
		case <-gone:
			timer.Stop()
			return false
		case <-p.stop:
			timer.Stop()
			return false
		case <-timer.C:
		}
		pause = min(2*pause, probePauseMax)
	}
}

// serverArgs are the settings of the server. They are given here, not in postgresql.conf, so that a new
// release of this program needs no edit of an old data folder.
func (p *Postmaster) serverArgs() []string {
	settings := []string{
		"listen_addresses=",
		"unix_socket_permissions=0700",
		"max_connections=" + strconv.Itoa(p.opts.MaxConnections),
		// A schema or catalog of thousands of tables is dropped in one transaction, each with its wall and indexes.
		"max_locks_per_transaction=512",
		// Temporary tables of external reads churn the catalogue; see also the storage parameters that
		// the bootstrap sets on pg_class and its like.
		"autovacuum_naptime=10s",
		"log_line_prefix=",
		"logging_collector=off",
		"log_destination=stderr",
	}
	if p.opts.Unsafe {
		settings = append(settings, "fsync=off", "synchronous_commit=off", "full_page_writes=off")
	}
	args := []string{"-D", p.layout.data, "-k", p.layout.socket}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	return args
}

func (p *Postmaster) stopping() bool {
	select {
	case <-p.stop:
		return true
	default:
		return false
	}
}

// sleep waits and tells whether it was not cut short by Stop.
func (p *Postmaster) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.stop:
		return false
	case <-timer.C:
		return true
	}
}

// explain turns the end of the child into an error with the server's own last words.
func (o *output) explain(waitErr error) error {
	last := o.tail()
	if strings.Contains(last, "pre-existing shared memory block") {
		return fmt.Errorf("%w: %s", errSharedMemory, last)
	}
	if waitErr == nil {
		waitErr = errors.New("it exited")
	}
	if last == "" {
		return fmt.Errorf("the home database ended: %w", waitErr)
	}
	return fmt.Errorf("the home database ended: %w: %s", waitErr, last)
}
