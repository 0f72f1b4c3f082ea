package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tablewright/tablewright/home/hometest"
	"github.com/tablewright/tablewright/test/gatewaytest"
)

const (
	startMax = 60 * time.Second
	stopMax  = 60 * time.Second
)

// gateway is one running binary with a data folder of its own.
type gateway struct {
	dir  string
	db   string
	port int
	http int
	args []string
	env  []string

	cmd  *exec.Cmd
	log  gatewaytest.Log
	done chan error
}

// startGateway starts a gateway that ends with the test.
func startGateway(t *testing.T) *gateway {
	t.Helper()
	g := newGateway(hometest.Dir(t))
	if err := g.start(); err != nil {
		t.Fatalf("%v\n%s", err, g.output())
	}
	t.Cleanup(func() {
		if err := g.stop(syscall.SIGTERM); err != nil {
			t.Errorf("%v\n%s", err, g.output())
		}
	})
	return g
}

func newGateway(dir string) *gateway {
	return &gateway{dir: dir, db: "tablewright", port: freePort(), http: freePort()}
}

// freePort returns a port that nobody listens on. It is below those that the kernel gives to outgoing
// connections, which would take it between here and the start of whoever is to have it.
func freePort() int {
	for {
		ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 15000+rand.IntN(15000)))
		if err != nil {
			continue
		}
		port := ln.Addr().(*net.TCPAddr).Port
		if _, taken := givenPorts.LoadOrStore(port, true); !taken {
			ln.Close()
			return port
		}
		ln.Close()
	}
}

var givenPorts sync.Map

// start runs the binary and waits until it is ready.
func (g *gateway) start() error {
	args := append([]string{
		"serve", "--data-dir", g.dir,
		"--listen", "127.0.0.1:" + strconv.Itoa(g.port), "--http-listen", "127.0.0.1:" + strconv.Itoa(g.http),
	}, g.args...)
	cmd := exec.Command(binary(), args...)
	cmd.Env = append(os.Environ(), g.env...)
	cmd.Stdout, cmd.Stderr = &g.log, &g.log
	if err := cmd.Start(); err != nil {
		return err
	}
	g.cmd, g.done = cmd, make(chan error, 1)
	go func() { g.done <- cmd.Wait() }()
	deadline := time.Now().Add(startMax)
	for time.Now().Before(deadline) {
		select {
		case err := <-g.done:
			g.cmd = nil
			return fmt.Errorf("gateway ended: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
		if g.ready() {
			return nil
		}
	}
	return errors.New("gateway was not ready in time")
}

func (g *gateway) ready() bool {
	r, err := http.Get("http://127.0.0.1:" + strconv.Itoa(g.http) + "/readyz")
	if err != nil {
		return false
	}
	defer r.Body.Close()
	return r.StatusCode == http.StatusOK
}

// stop sends a signal and waits for the end. SIGTERM must end with exit code 0.
func (g *gateway) stop(sig syscall.Signal) error {
	if g.cmd == nil {
		return nil
	}
	cmd := g.cmd
	g.cmd = nil
	if err := cmd.Process.Signal(sig); err != nil {
		return err
	}
	select {
	case err := <-g.done:
		if sig == syscall.SIGKILL {
			return nil
		}
		return err
	case <-time.After(stopMax):
		_ = cmd.Process.Kill()
		return errors.New("gateway did not end in time")
	}
}

func (g *gateway) output() string { return g.log.String() }

// dsn is a connection string for drivers.
func (g *gateway) dsn() string {
	return fmt.Sprintf("postgres://admin@127.0.0.1:%d/%s?sslmode=prefer", g.port, g.db)
}

// environment is what libpq's programs need to reach the gateway.
func (g *gateway) environment() map[string]string {
	return map[string]string{
		"PGHOST": "127.0.0.1", "PGPORT": strconv.Itoa(g.port), "PGUSER": "admin", "PGDATABASE": g.db,
		"PGCONNECT_TIMEOUT": "10", "DATA": g.dir, "HTTP": "http://127.0.0.1:" + strconv.Itoa(g.http),
	}
}

// psql runs psql with the given arguments and returns what it printed, errors and notices included.
func (g *gateway) psql(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("psql", append([]string{"-X"}, args...)...)
	cmd.Env = os.Environ()
	for k, v := range g.environment() {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
