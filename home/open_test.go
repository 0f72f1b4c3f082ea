package home_test

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/home/hometest"
	"github.com/tablewright/tablewright/home/postmaster"
)

// What the embedded home database is made of.
func TestEmbedded(t *testing.T) {
	if got := query(t, `select concat_ws(' ', rolcanlogin, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
		has_database_privilege(oid, current_database(), 'create'), has_database_privilege(oid, current_database(), 'temp'),
		has_schema_privilege(oid, 'public', 'create'), has_foreign_data_wrapper_privilege(oid, 'kafka', 'usage'),
		has_schema_privilege(oid, 'tablewright', 'create'), has_schema_privilege(oid, 'tw_wall', 'usage'))
		from pg_roles where rolname = 'admin'`); got != "t f f f f f t t t t f f" {
		t.Errorf("admin: %s", got)
	}
	if got := query(t, "select count(*)::text from pg_class where relname in ('pg_class', 'pg_attribute', 'pg_type', 'pg_depend') "+
		"and 'autovacuum_vacuum_scale_factor=0' = any(reloptions)"); got != "4" {
		t.Errorf("%s catalogue tables have settings of autovacuum", got)
	}
	if got := query(t, "select string_agg(datname, ' ' order by datname) from pg_database where datallowconn and has_database_privilege('admin', oid, 'connect')"); got != "tablewright" {
		t.Errorf("admin may connect to %s", got)
	}
	statuses := shared.ParameterStatuses()
	if statuses["is_superuser"] != "off" || !strings.HasPrefix(statuses["server_version"], "1") || statuses["server_encoding"] != "UTF8" {
		t.Errorf("statuses %v", statuses)
	}
	statuses["server_encoding"] = "changed"
	if shared.ParameterStatuses()["server_encoding"] != "UTF8" {
		t.Error("the statuses can be changed from outside")
	}
}

func TestSecondGatewayIsRefused(t *testing.T) {
	dir := hometest.Dir(t)
	first := hometest.Open(t, home.Options{DataDir: dir, Unsafe: true})
	_, err := home.Open(t.Context(), home.Options{DataDir: dir, Unsafe: true})
	var locked *postmaster.LockedError
	if !errors.As(err, &locked) || locked.PID != strconv.Itoa(os.Getpid()) {
		t.Errorf("second gateway: %v", err)
	}
	if err := first.Ready(t.Context()); err != nil {
		t.Errorf("the first one: %v", err)
	}
	// Afterwards everything is as it was.
	if _, err := first.Pool().Exec(t.Context(), "create table public.kept (a int)"); err != nil {
		t.Fatal(err)
	}
	ticket := first.Ticket(1, "x")
	if err := hometest.Close(first); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	again := hometest.Open(t, home.Options{DataDir: dir, Unsafe: true})
	t.Logf("opened again in %v", time.Since(began))
	if again.Ticket(1, "x") != ticket {
		t.Error("the key of tickets has changed")
	}
	if _, err := again.Pool().Exec(t.Context(), "select from public.kept"); err != nil {
		t.Error(err)
	}
}

// The server dies: it is noticed, told, and healed.
func TestServerDies(t *testing.T) {
	events := make(chan postmaster.Event, 10)
	h := hometest.Start(t, func(o *home.Options) { o.OnEvent = func(e postmaster.Event) { events <- e } })
	<-events
	ctx, cancel := context.WithCancel(t.Context())
	heard := make(chan struct{}, 100)
	ended := make(chan error, 1)
	go func() { ended <- h.Listen(ctx, func() { heard <- struct{}{} }) }()
	<-heard
	session := hometest.Connect(t, h, "admin")
	if err := syscall.Kill(h.ServerPID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if e := <-events; e.Ready {
		t.Errorf("event %+v", e)
	}
	if _, err := session.Run(t.Context(), "select 1"); err == nil {
		t.Error("the session lives on")
	}
	if e := <-events; !e.Ready {
		t.Errorf("event %+v", e)
	}
	<-heard // connected again: whatever was missed is to be read
	var one int
	deadline := time.Now().Add(20 * time.Second)
	for h.Ready(t.Context()) != nil && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond) // the pool may have dead connections yet
	}
	if err := h.Pool().QueryRow(t.Context(), "select 1").Scan(&one); err != nil {
		t.Errorf("the pool: %v", err)
	}
	hometest.Connect(t, h, "admin")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestClosedHomeDoesNotAnswer(t *testing.T) {
	h := hometest.Start(t)
	session := hometest.Connect(t, h, "admin")
	if err := hometest.Close(h); err != nil {
		t.Fatal(err)
	}
	if _, err := session.Run(t.Context(), "select 1"); err == nil {
		t.Error("a session that was open lives on")
	}
	if _, err := h.ConnectAs(t.Context(), "admin", "", nil); hometest.Code(err) != "57P03" {
		t.Errorf("a new session: %v, want 57P03", err)
	}
	if err := h.Ready(t.Context()); err == nil {
		t.Error("it is ready")
	}
}

// Gateways that start at the same time bring the schema up to date once, and share one key.
func TestGatewaysStartTogether(t *testing.T) {
	dsn := hometest.External(t)
	tickets := make([]string, 4)
	var group sync.WaitGroup
	for i := range tickets {
		group.Go(func() {
			h, err := home.Open(t.Context(), home.Options{DSN: dsn})
			if err != nil {
				t.Error(err)
				return
			}
			tickets[i] = h.Ticket(1, "x")
			if err := hometest.Close(h); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, ticket := range tickets {
		if ticket == "" || ticket != tickets[0] {
			t.Errorf("tickets %q", tickets)
		}
	}
}
