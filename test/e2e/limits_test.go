package e2e

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"golang.org/x/sys/unix"

	"github.com/tablewright/tablewright/home/hometest"
	"github.com/tablewright/tablewright/limits"
)

// limited starts a gateway with limits of its own.
func limited(t *testing.T, config string) *gateway {
	t.Helper()
	g := newGateway(hometest.Dir(t))
	path := filepath.Join(t.TempDir(), "tablewright.yaml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	g.args = []string{"--config", path}
	startAndStop(t, g)
	return g
}

// raw is a client that speaks the protocol itself.
type raw struct {
	*pgproto3.Frontend
	net.Conn
}

// dial opens a raw connection and greets; it returns the answer's end: ReadyForQuery or the error.
func (g *gateway) dial(t *testing.T, user string) (*raw, *pgproto3.ErrorResponse) {
	t.Helper()
	r, err := g.greet(user)
	if e, ok := errors.AsType[*refusal](err); ok {
		return r, &e.ErrorResponse
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, nil
}

type refusal struct{ pgproto3.ErrorResponse }

func (r *refusal) Error() string { return r.Message }

func (g *gateway) greet(user string) (*raw, error) {
	conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(g.port))
	if err != nil {
		return nil, err
	}
	return g.greetOn(conn, user)
}

func (g *gateway) greetOn(conn net.Conn, user string) (*raw, error) {
	r := &raw{pgproto3.NewFrontend(conn, conn), conn}
	r.Send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": user, "database": g.db}})
	if err := r.Flush(); err != nil {
		return nil, err
	}
	for {
		m, err := r.Receive()
		if err != nil {
			return nil, err
		}
		switch m := m.(type) {
		case *pgproto3.ReadyForQuery:
			return r, nil
		case *pgproto3.ErrorResponse:
			conn.Close()
			return r, &refusal{*m}
		}
	}
}

// query sends a Query without waiting for its answer.
func (r *raw) query(t *testing.T, sql string) {
	t.Helper()
	r.Send(&pgproto3.Query{String: sql})
	if err := r.Flush(); err != nil {
		t.Fatal(err)
	}
}

// until reads up to an error or ReadyForQuery.
func (r *raw) until(t *testing.T, within time.Duration) (code string) {
	t.Helper()
	r.SetReadDeadline(time.Now().Add(within))
	for {
		m, err := r.Receive()
		if err != nil {
			t.Fatal(err)
		}
		switch m := m.(type) {
		case *pgproto3.ReadyForQuery:
			return code
		case *pgproto3.ErrorResponse:
			if code = m.Code; m.Severity == "FATAL" {
				return code
			}
		}
	}
}

func TestSessionLimits(t *testing.T) {
	t.Parallel()
	g := limited(t, "limits: {sessions_max: 6, sessions_per_user_max: 3, home_connections_max: 2}\n")
	g.asSuperuser(t, "create role one login connection limit 1", "create role other login")
	admins := make([]*raw, 3)
	for i := range admins {
		admins[i], _ = g.dial(t, "admin")
	}
	refused := func(user, code, message string) {
		t.Helper()
		if _, e := g.dial(t, user); e == nil || e.Code != code || e.Message != message || e.Severity != "FATAL" {
			t.Errorf("%s: got %+v, want %s %s", user, e, code, message)
		}
	}
	refused("admin", "53300", `too many connections for role "admin"`)
	only, _ := g.dial(t, "one")
	refused("one", "53300", `too many connections for role "one"`)
	// Only a session that runs something needs a home connection.
	for i, want := range []string{"", "", "53300"} {
		admins[i].query(t, "select 1")
		if got := admins[i].until(t, 10*time.Second); got != want {
			t.Errorf("home connection %d: got %q, want %q", i+1, got, want)
		}
	}
	admins[2].Close()
	for range 2 {
		g.dial(t, "other")
	}
	waitFor(t, "six sessions", func() bool { return g.metric(t, "tablewright_connections_open") == "6" || g.fill(t) })
	refused("other", "53300", "sorry, too many clients already")
	only.Close()
	admins[0].Close()
	waitFor(t, "a place and a home connection", func() bool {
		r, err := g.greet("one")
		if err != nil {
			return false
		}
		defer r.Close()
		r.query(t, "select 1")
		return r.until(t, 10*time.Second) == ""
	})
}

// fill takes one more place, if there is one.
func (g *gateway) fill(t *testing.T) bool {
	if r, err := g.greet("other"); err == nil {
		t.Cleanup(func() { r.Close() })
	}
	return false
}

func (g *gateway) metric(t *testing.T, name string) string {
	t.Helper()
	for line := range strings.Lines(g.httpGet(t, "/metrics")) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	t.Fatalf("no metric %s", name)
	return ""
}

func (g *gateway) httpGet(t *testing.T, path string) string {
	t.Helper()
	r, err := http.Get("http://127.0.0.1:" + strconv.Itoa(g.http) + path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func waitFor(t *testing.T, what string, there func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !there(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

func TestTimeLimits(t *testing.T) {
	t.Parallel()
	g := limited(t, "limits: {authentication_timeout: 1s, idle_session_timeout: 2s, write_timeout: 2s, connections_per_second_max: 20}\n")
	// A client that never says what it wants, in clear and within a message.
	for _, said := range []string{"", "\x00\x00\x00\x20\x00\x03"} {
		conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(g.port))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.Write([]byte(said)); err != nil {
			t.Fatal(err)
		}
		conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		if n, err := conn.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
			t.Errorf("a silent client after %q: %d, %v, want the end", said, n, err)
		}
	}
	// Idle, but not idle in a transaction and not while a statement runs.
	idle, _ := g.dial(t, "admin")
	block, _ := g.dial(t, "admin")
	block.query(t, "begin")
	block.until(t, 10*time.Second)
	slow, _ := g.dial(t, "admin")
	slow.query(t, "select pg_sleep(5)")
	if got := idle.until(t, 10*time.Second); got != "57P05" {
		t.Errorf("an idle session ended with %q, want 57P05", got)
	}
	if got := slow.until(t, 10*time.Second); got != "" {
		t.Errorf("a long statement ended with %q", got)
	}
	block.query(t, "commit")
	if got := block.until(t, 10*time.Second); got != "" {
		t.Errorf("an open transaction ended with %q", got)
	}
	// A client that does not read: its session ends, and nothing piles up for it.
	before := g.memory(t)
	deaf, _ := g.dial(t, "admin")
	deaf.query(t, "select repeat('x', 1000) from generate_series(1, 1000000)")
	other := connect(t, g)
	waitFor(t, "the end of a client that does not read", func() bool {
		var n int
		err := other.QueryRow(t.Context(), "select count(*) from pg_stat_activity where query like 'select repeat%'").Scan(&n)
		return err == nil && n == 0
	})
	if grown := g.memory(t) - before; grown > 50<<20 {
		t.Errorf("%d bytes were kept for a client that does not read", grown)
	}
	// Ten seconds' worth of connections may come at once.
	refused := 0
	for range 250 {
		r, err := g.greet("admin")
		if e, ok := errors.AsType[*refusal](err); ok && e.Code == "53300" {
			refused++
		} else if err != nil {
			t.Fatal(err)
		} else {
			r.Close()
		}
	}
	if refused == 0 || refused > 100 {
		t.Errorf("%d of 250 connections were refused", refused)
	}
}

// memory is the resident memory of the gateway's own process, in bytes.
func (g *gateway) memory(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", g.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// What a session may keep is bounded, and what it has given back does not count.
func TestPreparedLimits(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	conn := connect(t, g).PgConn()
	prepare := func(n, size int) error {
		p := conn.StartPipeline(t.Context())
		for i := range n {
			p.SendPrepare(fmt.Sprint("s", i), "select 1 --"+strings.Repeat("x", size), nil)
		}
		if err := p.Sync(); err != nil {
			t.Fatal(err)
		}
		return p.Close()
	}
	if err := prepare(10_000, 0); err != nil {
		t.Fatal(err)
	}
	tooMany := func(err error) {
		t.Helper()
		var e *pgconn.PgError
		if !errors.As(err, &e) || e.Code != "54000" {
			t.Fatalf("got %v, want 54000", err)
		}
	}
	_, err := conn.Prepare(t.Context(), "more", "select 1", nil)
	tooMany(err)
	// The gateway does not see what DISCARD ALL ends.
	if _, err := conn.Exec(t.Context(), "discard all").ReadAll(); err != nil {
		t.Fatal(err)
	}
	if err := prepare(9_000, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "deallocate all").ReadAll(); err != nil {
		t.Fatal(err)
	}
	tooMany(prepare(70, 1<<20))
	if _, err := conn.Exec(t.Context(), "deallocate all").ReadAll(); err != nil {
		t.Fatal(err)
	}
	r, _ := g.dial(t, "admin")
	portals := func(n, size int) string {
		r.Send(&pgproto3.Parse{Query: "select length($1)"})
		for i := range n {
			r.Send(&pgproto3.Bind{DestinationPortal: fmt.Sprint("p", i), Parameters: [][]byte{bytes.Repeat([]byte("x"), size)}})
		}
		r.Send(&pgproto3.Sync{})
		if err := r.Flush(); err != nil {
			t.Fatal(err)
		}
		return r.until(t, 30*time.Second)
	}
	for _, c := range []struct {
		n, size int
		want    string
	}{{1000, 1, ""}, {1000, 1, ""}, {1001, 1, "54000"}, {900, 1, ""}, {70, 1 << 20, "54000"}, {50, 1 << 20, ""}} {
		if got := portals(c.n, c.size); got != c.want {
			t.Errorf("%d portals of %d bytes: got %q, want %q", c.n, c.size, got, c.want)
		}
	}
}

// Ten thousand sessions that have run nothing cost little, and nothing at home.
func TestManySessions(t *testing.T) {
	g := startGateway(t)
	watcher := connect(t, g)
	backends := func() (n int) {
		if err := watcher.QueryRow(t.Context(), "select count(*) from pg_stat_activity where usename = 'admin'").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	clients := g.crowd(t, 10_000, func() (*raw, error) { return g.greet("admin") })
	if n := backends(); n != 1 {
		t.Errorf("%d backends of the home database, want the watcher's only", n)
	}
	for _, i := range []int{0, len(clients) / 2, len(clients) - 1} {
		clients[i].query(t, "select 1")
		if got := clients[i].until(t, 10*time.Second); got != "" {
			t.Errorf("session %d: %s", i, got)
		}
	}
	if n := backends(); n != 4 {
		t.Errorf("%d backends of the home database, want four", n)
	}
}

func TestManyEncryptedSessions(t *testing.T) {
	a := newAuthority(t)
	g := secured(t, a, "hostssl all all 127.0.0.1 trust")
	g.crowd(t, 2_000, func() (*raw, error) {
		conn, err := tls.Dial("tcp", "127.0.0.1:"+strconv.Itoa(g.port), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"postgresql"}})
		if err != nil {
			return nil, err
		}
		return g.greetOn(conn, "admin")
	})
}

// crowd opens many sessions and checks what one of them costs the gateway.
func (g *gateway) crowd(t *testing.T, n int, open func() (*raw, error)) []*raw {
	t.Helper()
	before := g.memory(t)
	clients := make([]*raw, n)
	t.Cleanup(func() {
		for _, c := range clients {
			if c != nil {
				c.Close()
			}
		}
	})
	var group sync.WaitGroup
	errs := make(chan error, n)
	for worker := range 8 {
		group.Go(func() {
			for i := worker; i < n; i += 8 {
				var err error
				if clients[i], err = open(); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	group.Wait()
	if len(errs) > 0 {
		t.Fatal(<-errs)
	}
	each := (g.memory(t) - before) / n
	t.Logf("%d bytes a session", each)
	if each > limits.ConnectionBytesMax {
		t.Errorf("a session that has run nothing costs %d bytes, at most %d are allowed", each, limits.ConnectionBytesMax)
	}
	return clients
}

// A client that goes away while its statement runs is noticed within five seconds, however the statement is
// run and however the client goes.
func TestVanishedClient(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	watcher := connect(t, g)
	registerExternal(t, watcher)
	for _, s := range []string{"create schema ext.vanish", "create table ext.vanish.t (a int)"} {
		mustExec(t, watcher, s)
	}
	// vanish closes the socket without telling the other side, as a host does that loses its power.
	vanish := func(r *raw) {
		file, err := r.Conn.(*net.TCPConn).File()
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if err := unix.SetsockoptInt(int(file.Fd()), unix.IPPROTO_TCP, unix.TCP_REPAIR, 1); err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
	closed := func(r *raw) { r.Close() }
	reset := func(r *raw) { _ = r.Conn.(*net.TCPConn).SetLinger(0); r.Close() }
	for name, c := range map[string]struct {
		before []string
		sql    string
		leave  func(*raw)
	}{
		"passed through":   {nil, "select pg_sleep(60 /* %s */)", closed},
		"reset":            {nil, "select pg_sleep(60 /* %s */)", reset},
		"without a word":   {nil, "select pg_sleep(60 /* %s */)", vanish},
		"several at once":  {nil, "select 1; select pg_sleep(60 /* %s */)", closed},
		"behind our own":   {[]string{"begin", "create table ext.vanish.t%s (a int)"}, "select pg_sleep(60 /* %s */)", closed},
		"mixed with ours":  {nil, "create table ext.vanish.u%s (a int); select pg_sleep(60 /* %s */)", closed},
		"in a transaction": {[]string{"begin"}, "insert into public.vanished select 1 from pg_sleep(60 /* %s */)", vanish},
	} {
		t.Run(name, func(t *testing.T) {
			mark := strings.ReplaceAll(name, " ", "_")
			mustExec(t, watcher, "create table if not exists public.vanished (a int)")
			r, _ := g.dial(t, "admin")
			for _, sql := range append(c.before, c.sql) {
				r.query(t, strings.ReplaceAll(sql, "%s", mark))
				if sql != c.sql {
					if code := r.until(t, 10*time.Second); code != "" {
						t.Fatal(code)
					}
				}
			}
			running := func() bool {
				var n int
				err := watcher.QueryRow(t.Context(), `select count(*) from pg_stat_activity
					where query like '%' || $1 || '%' and state = 'active' and pid <> pg_backend_pid()`, "pg_sleep(60 /* "+mark).Scan(&n)
				if err != nil {
					t.Fatal(err)
				}
				return n > 0
			}
			waitFor(t, "the statement to run", running)
			c.leave(r)
			began := time.Now()
			waitFor(t, "the statement's end", func() bool { return !running() })
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("noticed after %v", took)
			} else {
				t.Logf("noticed after %v", took)
			}
		})
	}
}

// A client that leaves with a good-bye gets its statement carried out, as with PostgreSQL.
func TestGoodByeBehindStatement(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	watcher := connect(t, g)
	mustExec(t, watcher, "create table kept (a int)")
	r, _ := g.dial(t, "admin")
	r.Send(&pgproto3.Query{String: "insert into kept select 1 from pg_sleep(1)"})
	r.Send(&pgproto3.Terminate{})
	if err := r.Flush(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	waitFor(t, "the row", func() bool {
		var n int
		err := watcher.QueryRow(t.Context(), "select count(*) from kept").Scan(&n)
		return err == nil && n == 1
	})
}

// SIGTERM: nobody new, idle sessions end at once, busy ones when they are done or the time is up.
func TestDrain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		timeout, sleep, want string
	}{{"30s", "3", ""}, {"1s", "60", "57P01"}} {
		g := newGateway(hometest.Dir(t))
		g.env = []string{"TABLEWRIGHT_DRAIN_TIMEOUT=" + c.timeout}
		if err := g.start(); err != nil {
			t.Fatalf("%v\n%s", err, g.output())
		}
		fresh, _ := g.dial(t, "admin")
		idle, _ := g.dial(t, "admin")
		block, _ := g.dial(t, "admin")
		busy, _ := g.dial(t, "admin")
		idle.query(t, "select 1")
		idle.until(t, 10*time.Second)
		block.query(t, "begin; create table uncommitted (a int)")
		block.until(t, 10*time.Second)
		busy.query(t, "select pg_sleep("+c.sleep+")")
		waitFor(t, "the statement to run", func() bool {
			return strings.Contains(g.psql(t, "-Atc", "select query from pg_stat_activity where state = 'active'"), "pg_sleep("+c.sleep+")")
		})
		if err := g.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		for name, r := range map[string]*raw{"fresh": fresh, "idle": idle, "in transaction": block} {
			if got := r.until(t, 2*time.Second); got != "57P01" {
				t.Errorf("%s session: got %q, want 57P01", name, got)
			}
		}
		if _, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(g.port)); err == nil {
			t.Error("a new connection was taken")
		}
		if got := busy.until(t, 20*time.Second); got != c.want {
			t.Errorf("busy session: got %q, want %q", got, c.want)
		}
		if c.want == "" { // it was allowed to finish
			if got := busy.until(t, 5*time.Second); got != "57P01" {
				t.Errorf("busy session: got %q, want 57P01 at its end", got)
			}
		}
		select {
		case err := <-g.done:
			if err != nil {
				t.Errorf("%v\n%s", err, g.output())
			}
			g.cmd = nil
		case <-time.After(stopMax):
			t.Error("the gateway did not end")
		}
	}
}

// A second signal does not wait for anybody.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	g := newGateway(hometest.Dir(t))
	if err := g.start(); err != nil {
		t.Fatalf("%v\n%s", err, g.output())
	}
	busy, _ := g.dial(t, "admin")
	busy.query(t, "select pg_sleep(60)")
	waitFor(t, "the statement to run", func() bool {
		return strings.Contains(g.psql(t, "-Atc", "select query from pg_stat_activity where state = 'active'"), "pg_sleep(60)")
	})
	cmd := g.cmd
	g.cmd = nil
	for range 2 {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond) // the first one must have been taken
	}
	select {
	case <-g.done:
	case <-time.After(5 * time.Second):
		_ = cmd.Process.Kill()
		t.Error("the second signal did not end the gateway")
	}
}
