package faults

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
)

var worlds atomic.Int64

// world is what one test works on: catalogs a and b, each a database of its own on one of the two
// PostgreSQLs behind a proxy, catalog j, which is a's database with jobs, and the Iceberg catalog l. Texts name them {a}, {b}, {j} and {l}.
type world struct {
	t       *testing.T
	id      string
	faults  *faults
	conn    *pgx.Conn    // at the gateway
	outside [2]*pgx.Conn // at the systems themselves
	ports   [2]int
	lake    string
	names   *strings.Replacer
	closers []func() error
	closed  bool
	warned  bool // the client was sent a WARNING
}

func newWorld(t *testing.T, wanted string) *world {
	t.Helper()
	w := &world{t: t, id: fmt.Sprintf("w%d", worlds.Add(1)), faults: &faults{}}
	w.conn = session(t, func(n *pgconn.Notice) { w.warned = w.warned || n.Severity == "WARNING" })
	w.names = strings.NewReplacer("{a}", w.id+"a", "{b}", w.id+"b", "{j}", w.id+"j", "{l}", w.id+"l", "{w}", w.id)
	t.Cleanup(w.close)
	for i, server := range systems {
		if i == 0 && (strings.Contains(wanted, "{a}") || strings.Contains(wanted, "{j}")) || i == 1 && strings.Contains(wanted, "{b}") {
			w.addSystem(i, server)
		}
	}
	w.lake = filepath.Join(gateway.Dir, "lake", w.id)
	for i, name := range []string{"{a}", "{b}", "{j}"} {
		if strings.Contains(wanted, name) {
			w.register(name, i%2)
		}
	}
	if strings.Contains(wanted, "{l}") {
		w.must(fmt.Sprintf(`create catalog {l} with (type = 'iceberg', uri = 'sqlite:///%s/catalog.db', warehouse = 'file://%s/warehouse')`, w.lake, w.lake),
			"create schema {l}.s")
	}
	return w
}

// addSystem makes the world's database on a server, with a proxy before it.
func (w *world) addSystem(i int, server *pgserver.Server) {
	w.t.Helper()
	ctx := context.Background()
	if err := server.Exec(ctx, "postgres", "create database "+w.id); err != nil {
		w.t.Fatal(err)
	}
	w.closers = append(w.closers, func() error { return server.Exec(ctx, "postgres", "drop database "+w.id+" with (force)") })
	conn, err := server.Connect(ctx, w.id)
	if err != nil {
		w.t.Fatal(err)
	}
	w.closers = append(w.closers, func() error { return conn.Close(ctx) })
	w.outside[i] = conn
	p := startProxy(w.t, w.faults, server.Port)
	w.closers = append(w.closers, func() error { p.close(); return nil })
	w.ports[i] = p.port()
}

// register makes a catalog of a system, with schema s.
func (w *world) register(name string, system int) {
	w.t.Helper()
	options := ""
	if name == "{j}" {
		options = ", provisioning = 'job'"
	}
	w.must(fmt.Sprintf(`create catalog %s with (type = 'postgres', host = '127.0.0.1', port = %d, user = '%s',
		password = 'env:TABLEWRIGHT_SECRET_EXT', database = '%s', sslmode = 'disable'%s)`,
		name, w.ports[system], pgserver.Superuser, w.id, options), "create schema if not exists "+name+".s")
}

// close takes everything of the world away, whatever is left of it.
func (w *world) close() {
	if w.closed {
		return
	}
	w.closed = true
	w.faults.rest()
	for _, name := range []string{"{a}", "{b}", "{j}", "{l}"} {
		_ = send(w.conn, w.text("drop catalog if exists "+name+" cascade")) // a test that has failed may leave work on it
	}
	_ = w.conn.Close(context.Background())
	for _, closer := range slices.Backward(w.closers) {
		if err := closer(); err != nil {
			w.t.Error(err)
		}
	}
}

func (w *world) text(sql string) string { return w.names.Replace(sql) }

// must runs statements that have to succeed.
func (w *world) must(statements ...string) {
	w.t.Helper()
	for _, sql := range statements {
		if err := send(w.conn, w.text(sql)); err != nil {
			w.t.Fatalf("%v\n%s", err, detail(err))
		}
	}
}

// one asks the gateway for one value.
func (w *world) one(sql string, args ...any) string {
	w.t.Helper()
	var text string
	if err := w.conn.QueryRow(context.Background(), w.text(sql), args...).Scan(&text); err != nil {
		w.t.Fatalf("%s: %v", w.text(sql), err)
	}
	return text
}

const (
	settleMax  = 60 * time.Second
	settlePoll = 20 * time.Millisecond
)

// unfinishedQuery finds the jobs of a world that have not ended.
const unfinishedQuery = `select coalesce(string_agg(concat_ws(' ', kind, target, state, reason, error_message), e'\n'), '') from tablewright.jobs
	where finished is null and target ~ $1`

// settle waits until all jobs of the world have ended.
func (w *world) settle() {
	w.t.Helper()
	left := ""
	ended := eventually(func() bool {
		left = w.one(unfinishedQuery, w.pattern())
		return left == ""
	})
	if !ended {
		w.t.Fatalf("jobs did not end: %s", left)
	}
}

// history is what became of the world's jobs.
func (w *world) history() string {
	return w.one(`select coalesce(string_agg(concat_ws(' ', j.kind, j.target, j.state, j.reason, j.error_message, e.events), e'\n'), '') from tablewright.jobs j,
		lateral (select string_agg(concat_ws(' ', at::time, state, reason, message), '; ' order by at) events from tablewright.job_events where job_id = j.job_id) e
		where target ~ $1`, w.pattern())
}

// eventually asks a server again and again whether something has come about that it tells nobody of itself.
func eventually(come func() bool) bool {
	for deadline := time.Now().Add(settleMax); time.Now().Before(deadline); time.Sleep(settlePoll) {
		if come() {
			return true
		}
	}
	return false
}

// pattern matches the targets of the world's jobs.
func (w *world) pattern() string { return `(^|, |")` + w.id + `[abjl]\M` }

// notUndone counts the jobs of the world that left something behind.
func (w *world) notUndone() string {
	w.t.Helper()
	return w.one("select count(*)::text from tablewright.show_jobs where state = 'undo_failed' and target ~ $1", w.pattern())
}
