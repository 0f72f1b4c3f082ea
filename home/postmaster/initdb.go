package postmaster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// ensureCluster makes the database cluster when there is none. initdb works in a folder of another name
// which is renamed when it is complete: its PG_VERSION is written early, and a server starts on half a
// cluster without noticing. Must run on the supervisor's thread.
func (p *Postmaster) ensureCluster(ctx context.Context) error {
	_, err := os.Stat(p.layout.data)
	if err == nil {
		return nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("data folder of the home database: %w", err)
	}
	fresh := p.layout.data + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("unfinished data folder of the home database: %w", err)
	}
	args := []string{
		"-D", fresh, "-U", Superuser, "--auth-local=trust", "--auth-host=reject", "--encoding=UTF8",
		"--locale=C.UTF-8", "--no-instructions",
	}
	if p.opts.Unsafe {
		args = append(args, "--no-sync")
	}
	cmd := exec.CommandContext(ctx, p.bin.initdb(), args...)
	p.dress(cmd, syscall.SIGKILL)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb of the home database: %w: %s", err, strings.TrimSpace(string(out)))
	}
	if err := os.Rename(fresh, p.layout.data); err != nil {
		return fmt.Errorf("new data folder of the home database: %w", err)
	}
	return syncDir(p.layout.home)
}

// dress gives a command what every child gets: its user, its environment, and a signal when this thread
// (not this process: the caller stays on it) ends.
func (p *Postmaster) dress(cmd *exec.Cmd, onParentDeath syscall.Signal) {
	cmd.Dir = "/"
	cmd.Env = childEnv()
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setsid:     true, // a terminal's Ctrl-C is for the gateway, which then stops the server
		Pdeathsig:  onParentDeath,
		Credential: p.owner.credential(),
	}
}

func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync of %s: %w", dir, err)
	}
	return errors.Join(f.Sync(), f.Close())
}
