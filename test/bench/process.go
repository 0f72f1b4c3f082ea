package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a program that ends with this one.
type process struct {
	pid   int
	ended chan struct{} // closed when it has
	kill  func() error
}

// startProcess starts a program whose messages are shown.
func startProcess(ctx context.Context, program string, args ...string) (*process, error) {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), program, args...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p := &process{ended: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		// It is told to end with the thread that started it: the thread must live as long.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // it is killed, which is an error of its own
			close(p.ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	p.pid, p.kill = cmd.Process.Pid, cmd.Process.Kill
	return p, nil
}

func (p *process) stop() error {
	if err := p.kill(); err != nil {
		return err
	}
	<-p.ended
	return nil
}

// clockTicks is Linux's unit of CPU time for programs, a second.
const clockTicks = 100

// cpuTime is what the process in the middle has used so far.
func (t target) cpuTime() (time.Duration, error) {
	if t.pid == 0 {
		return 0, nil
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", t.pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // the program's name may have spaces
	fields := strings.Fields(rest)
	var ticks int64
	for _, field := range fields[11:13] { // utime and stime
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / clockTicks, nil
}
