package transparency

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/home/hometest"
	"github.com/tablewright/tablewright/home/postmaster"
)

const (
	startMax = 90 * time.Second
	stopMax  = 60 * time.Second
	database = "tablewright"
)

// gateway is one running binary with a data folder of its own, and a connection of the superuser to its
// home server past it.
type gateway struct {
	dir    string
	remove func() error
	port   int
	http   int
	cmd    *exec.Cmd
	done   chan error
	root   *pgx.Conn

	mu  sync.Mutex
	log bytes.Buffer
}

// startGateway runs the binary and waits until it is ready.
func startGateway(ctx context.Context) (*gateway, error) {
	binary, err := filepath.Abs("../../bin/tablewright")
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(binary); err != nil {
		return nil, fmt.Errorf("the gateway's binary is missing, run `make build` first: %w", err)
	}
	g := &gateway{done: make(chan error, 1)}
	if g.dir, g.remove, err = hometest.NewDir(); err != nil {
		return nil, err
	}
	if g.port, g.http, err = freePorts(); err != nil {
		return nil, err
	}
	g.cmd = exec.Command(binary, "serve", "--data-dir", g.dir,
		"--listen", address(g.port), "--http-listen", address(g.http))
	g.cmd.Stdout, g.cmd.Stderr = g, g
	if err := g.cmd.Start(); err != nil {
		return nil, errors.Join(err, g.remove())
	}
	go func() { g.done <- g.cmd.Wait() }()
	ctx, cancel := context.WithTimeout(ctx, startMax)
	defer cancel()
	if err := g.await(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%w\n%s", err, g.output()), g.stop())
	}
	dsn := fmt.Sprintf("host=%s user=%s dbname=%s sslmode=disable", g.socket(), postmaster.Superuser, database)
	if g.root, err = pgx.Connect(ctx, dsn); err != nil {
		return nil, errors.Join(err, g.stop())
	}
	// Nothing of these servers is to last, and nothing is to happen in them by itself.
	for _, setting := range []string{"fsync", "synchronous_commit", "autovacuum"} {
		if _, err := g.root.Exec(ctx, "alter system set "+setting+" = off"); err != nil {
			return nil, errors.Join(err, g.stop())
		}
	}
	if _, err := g.root.Exec(ctx, "select pg_reload_conf()"); err != nil {
		return nil, errors.Join(err, g.stop())
	}
	return g, nil
}

// await waits for readiness.
func (g *gateway) await(ctx context.Context) error {
	for {
		select {
		case err := <-g.done:
			g.done <- err
			return fmt.Errorf("gateway ended: %w", err)
		case <-ctx.Done():
			return errors.New("gateway was not ready in time")
		case <-time.After(20 * time.Millisecond):
		}
		answer, err := http.Get("http://" + address(g.http) + "/readyz")
		if err != nil {
			continue
		}
		answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			return nil
		}
	}
}

// managedNames are the names that scripts use most. Tables of an external system have them too, so that the
// gateway has to find out, statement by statement, that none of them is meant.
var managedNames = []string{"t", "u", "v", "p", "c", "a", "b", "s", "q", "doc", "mv"}

// manage makes these tables.
func (g *gateway) manage(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, fmt.Sprintf("postgres://admin@%s/%s?sslmode=disable", address(g.port), database))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "create schema lake.shop"); err != nil {
		return err
	}
	for _, name := range managedNames {
		sql := fmt.Sprintf("create table lake.shop.%s (id bigint, v text) with (provisioning = 'inline')", name)
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// stop ends the gateway, which must do so in order, and removes its folder.
func (g *gateway) stop() error {
	if g.root != nil {
		_ = g.root.Close(context.Background())
	}
	_ = g.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-g.done:
		return errors.Join(err, g.remove())
	case <-time.After(stopMax):
		return errors.Join(errors.New("gateway did not end in time"), g.cmd.Process.Kill(), g.remove())
	}
}

// socket is the folder of the home server's private socket.
func (g *gateway) socket() string { return filepath.Join(g.dir, "run") }

// Write takes the gateway's log.
func (g *gateway) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.log.Write(p)
}

func (g *gateway) output() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.log.String()
}

func address(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }

// freePorts returns two ports that nobody listens on.
func freePorts() (int, int, error) {
	var ports [2]int
	for i := range ports {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, 0, err
		}
		defer ln.Close()
		ports[i] = ln.Addr().(*net.TCPAddr).Port
	}
	return ports[0], ports[1], nil
}
