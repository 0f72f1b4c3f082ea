// Package gatewaytest starts the real binary for tests that talk to it over the wire.
package gatewaytest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tablewright/tablewright/home/hometest"
)

const (
	startMax = 60 * time.Second
	stopMax  = 60 * time.Second
)

// Database is the database that clients connect to.
const Database = "tablewright"

// Gateway is one running binary with a data folder of its own.
type Gateway struct {
	Port, HTTPPort int
	PID            int
	// Dir is its data folder.
	Dir string

	remove func() error
	signal func(os.Signal) error
	ended  chan error

	log Log
}

// Start runs `bin/tablewright serve` and waits until it is ready. env is added to the environment.
func Start(ctx context.Context, env ...string) (*Gateway, error) {
	dir, remove, err := hometest.NewDir()
	if err != nil {
		return nil, err
	}
	g := &Gateway{Port: FreePort(), HTTPPort: FreePort(), Dir: dir, remove: remove, ended: make(chan error, 1)}
	if err := g.start(ctx, dir, env); err != nil {
		return nil, errors.Join(fmt.Errorf("%w\n%s", err, g.Log()), remove())
	}
	return g, nil
}

// Binary is the gateway that `make build` leaves.
func Binary() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "..", "..", "bin", "tablewright")
}

// FreePort returns a port that nobody listens on, below those that the kernel gives to outgoing
// connections, which would take it between here and the start of a server.
func FreePort() int {
	for {
		ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 15000+rand.IntN(15000))) //nolint:noctx // returns at once
		if err != nil {
			continue
		}
		port := ln.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // a TCP listener's
		_ = ln.Close()
		return port
	}
}

func (g *Gateway) start(ctx context.Context, dir string, env []string) error {
	// What the test looks at is what its kept result depends on: another binary is another test.
	if _, err := os.Stat(Binary()); err != nil {
		return fmt.Errorf("the gateway's binary, which `make build` makes: %w", err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), Binary(), "serve", "--data-dir", dir,
		"--listen", g.Address(), "--http-listen", "127.0.0.1:"+strconv.Itoa(g.HTTPPort))
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &g.log, &g.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	started := make(chan error, 1)
	go func() {
		// The gateway is told to end with the thread that started it: the thread must live as long.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			g.ended <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start the gateway: %w", err)
	}
	g.PID, g.signal = cmd.Process.Pid, cmd.Process.Signal
	deadline := time.Now().Add(startMax)
	for time.Now().Before(deadline) {
		select {
		case err := <-g.ended:
			return fmt.Errorf("gateway ended: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
		if g.ready(ctx) {
			return nil
		}
	}
	return errors.Join(errors.New("gateway was not ready in time"), cmd.Process.Kill())
}

// Address is where it listens for clients.
func (g *Gateway) Address() string { return "127.0.0.1:" + strconv.Itoa(g.Port) }

func (g *Gateway) ready(ctx context.Context) bool {
	_, err := g.get(ctx, "/readyz")
	return err == nil
}

func (g *Gateway) get(ctx context.Context, path string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:"+strconv.Itoa(g.HTTPPort)+path, nil)
	if err != nil {
		return "", err
	}
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = r.Body.Close() }()
	var body bytes.Buffer
	if _, err := body.ReadFrom(r.Body); err != nil {
		return "", err
	}
	if r.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", r.Status, body.String())
	}
	return body.String(), nil
}

// Metric is the value of a metric without labels.
func (g *Gateway) Metric(ctx context.Context, name string) (float64, error) {
	body, err := g.get(ctx, "/metrics")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(body) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strconv.ParseFloat(strings.TrimSpace(value), 64)
		}
	}
	return 0, fmt.Errorf("no metric %s", name)
}

// Stop ends the gateway by SIGTERM, which must lead to exit code 0, and removes its folder.
func (g *Gateway) Stop() error {
	if err := g.signal(syscall.SIGTERM); err != nil {
		return errors.Join(err, g.remove())
	}
	select {
	case err := <-g.ended:
		if err != nil {
			err = fmt.Errorf("gateway: %w\n%s", err, g.Log())
		}
		return errors.Join(err, g.remove())
	case <-time.After(stopMax):
		return errors.Join(errors.New("gateway did not end in time\n"+g.Log()), g.signal(syscall.SIGKILL))
	}
}

// Log is what the gateway has logged so far.
func (g *Gateway) Log() string { return g.log.String() }
