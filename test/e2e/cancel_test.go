package e2e

import (
	"context"
	"crypto/tls"
	be "encoding/binary"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/home/hometest"
)

// cancelBy sends a CancelRequest as it is on the wire and waits for the connection's end.
func cancelBy(t *testing.T, conn net.Conn, pid, secret uint32) {
	t.Helper()
	b := be.BigEndian.AppendUint32(nil, 16)
	for _, n := range []uint32{80877102, pid, secret} {
		b = be.BigEndian.AppendUint32(b, n)
	}
	if _, err := conn.Write(b); err != nil {
		t.Fatal(err)
	}
	conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("a CancelRequest was answered: %d bytes, %v", n, err)
	}
	conn.Close()
}

// A CancelRequest works in clear, after a refused request for encryption, through TLS and at another gateway
// of the same home database; with a wrong key it does nothing.
func TestCancelRequests(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	g := secured(t, a, "host all all 127.0.0.1 trust")
	plain := func() net.Conn {
		conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(g.port))
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	ask := func(conn net.Conn, code uint32, want byte) net.Conn {
		answer := []byte{0}
		if _, err := conn.Write(be.BigEndian.AppendUint32([]byte{0, 0, 0, 8}, code)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(conn, answer); err != nil || answer[0] != want {
			t.Fatalf("got %q, %v, want %q", answer, err, want)
		}
		return conn
	}
	config := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"postgresql"}}
	for name, dial := range map[string]func() net.Conn{
		"in clear":           plain,
		"behind N":           func() net.Conn { return ask(plain(), 80877104, 'N') },
		"through TLS":        func() net.Conn { return tls.Client(ask(plain(), 80877103, 'S'), config) },
		"through direct TLS": func() net.Conn { return tls.Client(plain(), config) },
	} {
		r, pid, secret := g.sleeper(t)
		cancelBy(t, dial(), pid, secret+1)
		cancelBy(t, dial(), pid+1, secret)
		cancelBy(t, dial(), pid, secret)
		if got := r.until(t, 10*time.Second); got != "57014" {
			t.Errorf("%s: got %q, want 57014", name, got)
		}
		r.Close()
	}
	r, pid, secret := g.sleeper(t)
	for range 300 {
		cancelBy(t, plain(), pid, secret+1)
	}
	cancelBy(t, plain(), pid, secret)
	r.SetReadDeadline(time.Now().Add(time.Second))
	if m, err := r.Receive(); err == nil {
		t.Errorf("keys can be tried without end: %T", m)
	}
}

// sleeper is a session whose statement takes a minute, and its cancel key.
func (g *gateway) sleeper(t *testing.T) (r *raw, pid, secret uint32) {
	t.Helper()
	conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(g.port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	r = &raw{pgproto3.NewFrontend(conn, conn), conn}
	r.Send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "admin", "database": g.db}})
	if err := r.Flush(); err != nil {
		t.Fatal(err)
	}
	for {
		m, err := r.Receive()
		if err != nil {
			t.Fatal(err)
		}
		switch m := m.(type) {
		case *pgproto3.BackendKeyData:
			pid, secret = m.ProcessID, be.BigEndian.Uint32(m.SecretKey)
		case *pgproto3.ReadyForQuery:
			mark := fmt.Sprintf("select pg_sleep(60) /* %d */", pid)
			r.query(t, mark)
			waitFor(t, "the statement to run", func() bool {
				return strings.Contains(g.psql(t, "-Atc", "select query from pg_stat_activity where state = 'active'"), mark)
			})
			return r, pid, secret
		}
	}
}

// Two gateways share a home database and a control plane: a balancer may bring a cancel to the wrong one.
func TestCancelAtAnotherGateway(t *testing.T) {
	t.Parallel()
	dsn := hometest.External(t)
	first := newGateway(hometest.Dir(t))
	first.args, first.db = []string{"--home-dsn", dsn}, "postgres"
	startAndStop(t, first)
	second := newGateway(hometest.Dir(t))
	second.args, second.db = []string{"--home-dsn", dsn, "--kubeconfig", filepath.Join(first.dir, "k8s", "kubeconfig")}, "postgres"
	second.env = []string{"TABLEWRIGHT_NAMESPACE=second"}
	if err := second.start(); err != nil {
		t.Fatalf("%v\n%s", err, second.output())
	}
	defer func() {
		if err := second.stop(syscall.SIGTERM); err != nil {
			t.Errorf("%v\n%s", err, second.output())
		}
	}()
	r, pid, secret := first.sleeper(t)
	for _, key := range []uint32{secret + 1, secret} {
		conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(second.port))
		if err != nil {
			t.Fatal(err)
		}
		cancelBy(t, conn, pid, key)
	}
	if got := r.until(t, 10*time.Second); got != "57014" {
		t.Errorf("got %q, want 57014", got)
	}
	// What passes between gateways is of no use to anybody else.
	watcher := connect(t, first)
	for sql, want := range map[string]string{
		"select * from tablewright.cancel_request":                        "42501",
		"notify tablewright_cancel, 'nonsense'":                           "NOTIFY",
		"select pg_notify('tablewright_cancel', gen_random_uuid()::text)": "SELECT 1",
	} {
		if got := outcome(t, watcher, sql, 0); got != want {
			t.Errorf("%s: got %s, want %s", sql, got, want)
		}
	}
}

// The key's number is the home process's where the connection exists when the client is greeted, and one that
// no process has otherwise.
func TestNumberOfTheKey(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	for options, own := range map[string]bool{"": true, "-c work_mem=8MB": false} {
		conn := connect(t, g, func(c *pgx.ConnConfig) {
			if options != "" {
				c.RuntimeParams["options"] = options
			}
		})
		var backend uint32
		if err := conn.QueryRow(context.Background(), "select pg_backend_pid()").Scan(&backend); err != nil {
			t.Fatal(err)
		}
		if pid := conn.PgConn().PID(); own == (pid == backend) || own == (pid <= 1<<22) {
			t.Errorf("options %q: number %d, process %d", options, pid, backend)
		}
	}
}
