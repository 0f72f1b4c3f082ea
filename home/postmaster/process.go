package postmaster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	fastStop      = syscall.SIGINT
	immediateStop = syscall.SIGQUIT
	killSignal    = syscall.SIGKILL
)

// isServerOf tells whether a live process is a PostgreSQL server process (postmaster or backend) of a
// data folder. A number in a file proves nothing: pids are used again, after a restart of a container
// within seconds, and a zombie does no harm.
func isServerOf(pid int, data string) bool {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	if stateOf(proc) == 'Z' {
		return false
	}
	exe, err := os.Readlink(filepath.Join(proc, "exe"))
	if err != nil {
		return false // gone, or of a user whose processes this one cannot see and PostgreSQL ignores
	}
	exe = strings.TrimSuffix(exe, " (deleted)") // upgraded while it ran
	if filepath.Base(exe) != "postgres" {
		return false
	}
	cwd, err := os.Readlink(filepath.Join(proc, "cwd"))
	return err == nil && strings.TrimSuffix(cwd, " (deleted)") == data
}

// stateOf is the state letter of a process, 0 when it is gone.
func stateOf(proc string) byte {
	stat, err := os.ReadFile(filepath.Join(proc, "stat"))
	if err != nil {
		return 0
	}
	// The command in parentheses may hold anything, so the state is what follows the last one.
	_, rest, ok := bytes.Cut(stat[max(bytes.LastIndexByte(stat, ')'), 0):], []byte(") "))
	if !ok || len(rest) == 0 {
		return 0
	}
	return rest[0]
}

// serversOf lists all server processes of a data folder.
func serversOf(data string) ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("list of processes: %w", err)
	}
	var pids []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err == nil && isServerOf(pid, data) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// killVerified signals a server process of a data folder, and no other one that got its number: the
// process is held by a file descriptor before it is looked at.
func killVerified(pid int, data string, sig syscall.Signal) error {
	proc, err := os.FindProcess(pid)
	if err != nil {
		return fmt.Errorf("process %d: %w", pid, err)
	}
	defer func() { _ = proc.Release() }() // it only closes the descriptor
	if !isServerOf(pid, data) {
		return nil
	}
	if err := proc.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal %v to process %d: %w", sig, pid, err)
	}
	return nil
}

// stage is one step of ending a process: a signal, and how long it may take.
type stage struct {
	sig  syscall.Signal
	wait time.Duration
}

// endServer ends a server process by the stages in turn and returns when it is gone.
func endServer(ctx context.Context, pid int, data string, stages []stage) error {
	for _, s := range stages {
		if err := killVerified(pid, data, s.sig); err != nil {
			return err
		}
		gone, err := waitGone(ctx, pid, data, s.wait)
		if err != nil || gone {
			return err
		}
	}
	return fmt.Errorf("process %d of an earlier run does not end", pid)
}

// waitGone polls, since a process that is not a child cannot be waited for.
func waitGone(ctx context.Context, pid int, data string, limit time.Duration) (bool, error) {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for isServerOf(pid, data) {
		select {
		case <-ctx.Done():
			return false, fmt.Errorf("wait for the end of process %d: %w", pid, context.Cause(ctx))
		case <-deadline.C:
			return false, nil
		case <-tick.C:
		}
	}
	return true, nil
}
