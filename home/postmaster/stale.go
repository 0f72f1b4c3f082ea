package postmaster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// readPIDFile is the pid in the first line of postmaster.pid, 0 when there is no such file.
func readPIDFile(data string) (int, error) {
	text, err := os.ReadFile(filepath.Join(data, pidFile))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("pid file of the home database: %w", err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		return 0, nil // half written by a server that died at once: stale
	}
	return pid, nil
}

// clearPredecessor ends a server that an earlier gateway left and deletes the files of a dead one. A
// live one is not adopted: neither its parent-death signal nor Wait could be had again.
func (p *Postmaster) clearPredecessor(ctx context.Context) error {
	pid, err := readPIDFile(p.layout.data)
	if err != nil {
		return err
	}
	if pid != 0 && isServerOf(pid, p.layout.data) {
		p.opts.Log.Warn().Int("pid", pid).Msg("ending the home database of an earlier run")
		err := endServer(ctx, pid, p.layout.data, []stage{
			{fastStop, 5 * time.Second}, {immediateStop, 5 * time.Second}, {killSignal, 5 * time.Second},
		})
		if err != nil {
			return err
		}
	}
	return p.removeStaleFiles()
}

// clearStragglers ends backends that outlived their postmaster: one that is busy does not notice the
// death, and holds the shared memory that a new server must not share.
func (p *Postmaster) clearStragglers(ctx context.Context) error {
	pids, err := serversOf(p.layout.data)
	if err != nil {
		return err
	}
	for _, pid := range pids {
		p.opts.Log.Warn().Int("pid", pid).Msg("ending a process of the home database that outlived it")
		err := endServer(ctx, pid, p.layout.data, []stage{
			{immediateStop, 2 * time.Second}, {killSignal, 5 * time.Second},
		})
		if err != nil {
			return err
		}
	}
	return nil
}
