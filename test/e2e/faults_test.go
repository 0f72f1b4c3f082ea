package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/home/hometest"
	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
)

// TestKilledAtAnyPoint kills the gateway with SIGKILL at a random moment of a statement, starts it again
// and looks whether home, history and systems agree. FAULT_RUNS and FAULT_SEED repeat a run.
func TestKilledAtAnyPoint(t *testing.T) {
	runs, seed := envInt(t, "FAULT_RUNS", 40), envInt(t, "FAULT_SEED", int(time.Now().UnixNano()&0xffffff))
	t.Logf("FAULT_RUNS=%d FAULT_SEED=%d", runs, seed)
	f := newFaults(t, uint64(seed))
	defer f.close()
	for i := range runs {
		f.run(i)
		if t.Failed() {
			t.Fatalf("run %d of seed %d\n%s", i, seed, f.gateway.output())
		}
	}
	t.Logf("outcomes: %v", f.outcomes)
}

func envInt(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// faults is one data folder, killed again and again.
type faults struct {
	t        *testing.T
	rand     *rand.Rand
	gateway  *gateway
	remove   func() error
	outside  *pgx.Conn // of the external PostgreSQL, which logs each table that is made or dropped itself
	outcomes map[string]int
	open     []*pgx.Conn
}

func newFaults(t *testing.T, seed uint64) *faults {
	t.Helper()
	dir, remove, err := hometest.NewDir()
	if err != nil {
		t.Fatal(err)
	}
	f := &faults{t: t, rand: rand.New(rand.NewPCG(seed, seed)), gateway: newGateway(dir), remove: remove, outcomes: map[string]int{}}
	ctx := t.Context()
	if err := external.Exec(ctx, "postgres", "create database faults"); err != nil {
		t.Fatal(err)
	}
	if f.outside, err = external.Connect(ctx, "faults"); err != nil {
		t.Fatal(err)
	}
	_, err = f.outside.Exec(ctx, `create schema shop;
		create table public.made (name text, what text);
		create function public.log_made() returns event_trigger language plpgsql as $$
		begin
			insert into public.made select object_identity, 'made' from pg_event_trigger_ddl_commands() where object_type = 'table';
		end $$;
		create event trigger log_made on ddl_command_end when tag in ('CREATE TABLE') execute function public.log_made()`)
	if err != nil {
		t.Fatal(err)
	}
	f.gateway.env = []string{"TABLEWRIGHT_SECRET_EXT=" + pgserver.Password}
	if err := f.gateway.start(); err != nil {
		t.Fatal(err)
	}
	f.must(fmt.Sprintf(`create catalog pg with (type = 'postgres', host = '127.0.0.1', port = %d, user = '%s',
		password = 'env:TABLEWRIGHT_SECRET_EXT', database = 'faults')`, external.Port, pgserver.Superuser))
	f.must("create schema pg.s")
	f.must("create schema lake.s")
	return f
}

func (f *faults) close() {
	_ = f.gateway.stop(syscall.SIGKILL)
	_ = f.outside.Close(context.Background())
	_ = f.remove()
}

func (f *faults) must(sql string) {
	f.t.Helper()
	if _, err := f.session().Exec(f.t.Context(), sql); err != nil {
		f.t.Fatalf("%s: %v\n%s", sql, err, f.gateway.output())
	}
}

func (f *faults) session() *pgx.Conn {
	f.t.Helper()
	conn, err := pgx.Connect(f.t.Context(), f.gateway.dsn())
	if err != nil {
		f.t.Fatalf("%v\n%s", err, f.gateway.output())
	}
	f.open = append(f.open, conn)
	return conn
}

// hangUp ends the sessions of a run.
func (f *faults) hangUp() {
	for _, conn := range f.open {
		_ = conn.Close(context.Background()) // of a killed gateway, or not
	}
	f.open = nil
}

// attempt is one statement or block that is killed.
type attempt struct {
	sql    string
	tables []string // full names of what it makes or drops
	drops  bool
	alters bool          // it adds a column z
	within time.Duration // the kill comes in this time
}

func (f *faults) next(i int) attempt {
	catalog, within := "pg", 120*time.Millisecond
	if f.rand.IntN(2) == 0 {
		catalog, within = "lake", 400*time.Millisecond
	}
	a, b := fmt.Sprintf("%s.s.t%d", catalog, i), fmt.Sprintf("%s.s.u%d", catalog, i)
	switch f.rand.IntN(4) {
	case 0:
		return attempt{sql: "create table " + a + " (a int primary key)", tables: []string{a}, within: within}
	case 1:
		sql := fmt.Sprintf("begin; create table %s (a int); create table %s (a int); create table public.w%d (v int); commit", a, b, i)
		return attempt{sql: sql, tables: []string{a, b}, within: 2 * within}
	case 2:
		f.must("create table " + a + " (a int)")
		return attempt{sql: "alter table " + a + " add column z int", tables: []string{a}, alters: true, within: within}
	default:
		f.must("create table " + a + " (a int)")
		return attempt{sql: "drop table " + a, tables: []string{a}, drops: true, within: within}
	}
}

// run kills the gateway in the middle of a statement, starts it again and checks.
func (f *faults) run(i int) {
	a := f.next(i)
	conn := f.session()
	answered := make(chan error, 1)
	go func() {
		_, err := conn.Exec(f.t.Context(), a.sql, pgx.QueryExecModeSimpleProtocol)
		answered <- err
	}()
	wait := time.NewTimer(time.Duration(f.rand.Int64N(int64(a.within))))
	var err error
	done := false
	select {
	case err = <-answered:
		done = true
	case <-wait.C:
	}
	if stop := f.gateway.stop(syscall.SIGKILL); stop != nil {
		f.t.Fatal(stop)
	}
	if !done {
		err = <-answered
	}
	if start := f.gateway.start(); start != nil {
		f.t.Fatalf("%v\n%s", start, f.gateway.output())
	}
	f.settle()
	exist := f.check(a)
	if a.alters {
		exist = f.checkColumn(a.tables[0])
	}
	f.hangUp()
	if err == nil && exist == a.drops {
		f.t.Errorf("%s: the client was told success, exists = %v", a.sql, exist)
	}
	f.outcomes[fmt.Sprintf("%s told=%v exists=%v", strings.Fields(a.sql)[0], err == nil, exist)]++
}

// checkColumn tells whether a table has the column z: at home and outside alike, and the history agrees. A
// query that names the column fails where one of the two has it not.
func (f *faults) checkColumn(name string) bool {
	f.t.Helper()
	parts := strings.Split(name, ".")
	home := f.one("select count(*)::text from pg_attribute where attrelid = to_regclass($1) and attname = 'z' and not attisdropped",
		fmt.Sprintf(`"%s.%s".%s`, parts[0], parts[1], parts[2])) == "1"
	if _, err := f.session().Exec(f.t.Context(), "insert into "+name+" values (1"+map[bool]string{true: ", 2"}[home]+")"); err != nil {
		f.t.Errorf("%s: home has the column: %v, a row of it: %v", name, home, err)
	}
	if _, err := f.session().Exec(f.t.Context(), "alter table "+name+" add column if not exists y int"); err != nil {
		f.t.Errorf("%s is not as it was registered: %v", name, err)
	}
	if done := f.one("select count(*)::text from tablewright.jobs where target = $1 and statement ~ 'column z' and state = 'succeeded'", name) == "1"; done != home {
		f.t.Errorf("%s: home has the column: %v, the history says: %v", name, home, done)
	}
	return home
}

// settle waits until every job has ended.
func (f *faults) settle() {
	conn := f.session()
	for deadline := time.Now().Add(waitMax); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		var open int
		if err := conn.QueryRow(f.t.Context(), "select count(*) from tablewright.jobs where finished is null").Scan(&open); err != nil {
			f.t.Fatal(err)
		}
		if open == 0 {
			return
		}
	}
	f.t.Errorf("jobs did not end: %s", f.gateway.psql(f.t, "-c", "select job_id, kind, target, state, path, reason, home_xid from tablewright.jobs where finished is null"))
}

// check compares home, history and the system, and returns whether the tables exist: all or none.
func (f *faults) check(a attempt) bool {
	var exist int
	for _, name := range a.tables {
		parts := strings.Split(name, ".")
		shadow := f.one("select coalesce((select r.state from tablewright.relation r where r.oid = to_regclass($1)::oid), 'absent')", fmt.Sprintf(`"%s.%s".%s`, parts[0], parts[1], parts[2]))
		outside := f.existsOutside(parts)
		if (shadow == "ready") != outside || shadow != "ready" && shadow != "absent" {
			f.t.Errorf("%s: shadow is %s, exists in the system: %v", name, shadow, outside)
		}
		if state := f.one("select coalesce((select string_agg(state, ',') from tablewright.jobs where target = $1 and state in ('undo_failed', 'lost')), 'none')", name); state != "none" {
			f.t.Errorf("%s: job is %s", name, state)
		}
		if made := f.one("select count(*)::text from tablewright.jobs where target = $1 and kind = 'CREATE TABLE' and state = 'succeeded'", name); outside && made != "1" {
			f.t.Errorf("%s exists, its history says that it was made %s times", name, made)
		}
		if outside {
			exist++
		}
	}
	if exist != 0 && exist != len(a.tables) {
		f.t.Errorf("%s: %d of %d tables exist", a.sql, exist, len(a.tables))
	}
	f.countOutside()
	return exist > 0
}

func (f *faults) one(sql string, args ...any) string {
	f.t.Helper()
	var text string
	if err := f.session().QueryRow(f.t.Context(), sql, args...).Scan(&text); err != nil {
		f.t.Fatalf("%s: %v", sql, err)
	}
	return text
}

func (f *faults) existsOutside(parts []string) bool {
	f.t.Helper()
	if parts[0] == "lake" {
		return f.lakeHas(parts[1], parts[2])
	}
	var found bool
	err := f.outside.QueryRow(f.t.Context(), "select to_regclass($1) is not null", parts[1]+"."+parts[2]).Scan(&found)
	if err != nil {
		f.t.Fatal(err)
	}
	return found
}

// countOutside looks, in the system's own log, whether a table was made twice.
func (f *faults) countOutside() {
	f.t.Helper()
	var twice int
	err := f.outside.QueryRow(f.t.Context(),
		"select count(*) from (select name from public.made group by name having count(*) > 1) m").Scan(&twice)
	if err != nil {
		f.t.Fatal(err)
	}
	if twice > 0 {
		f.t.Errorf("%d tables were made twice", twice)
	}
}
