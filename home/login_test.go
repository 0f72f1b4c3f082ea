package home_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/home/hometest"
	"github.com/tablewright/tablewright/home/postmaster"
)

// A session is the role's own login: nothing makes it another one.
func TestSessionStaysItsRole(t *testing.T) {
	w := newWorld(t)
	for _, statement := range []string{
		"reset session authorization", "set session authorization default", "reset role", "set role none",
		"discard all", "do $$begin execute 'reset session authorization'; end$$",
	} {
		mustRun(t, w, statement)
		rows, err := w.alice.Run(t.Context(), "select session_user, current_user, (select rolsuper from pg_roles where rolname = session_user)")
		if want := w.role + "|" + w.role + "|f"; err != nil || rows[0] != want {
			t.Errorf("after %s: %v, want %s (%v)", statement, rows, want, err)
		}
	}
	for _, statement := range []string{"set session authorization tablewright", "set role tablewright"} {
		if _, err := w.alice.Run(t.Context(), statement); hometest.Code(err) != "42501" {
			t.Errorf("%s: %v, want 42501", statement, err)
		}
	}
}

// The client's startup parameters arrive as they are, and nothing else does.
func TestStartupParameters(t *testing.T) {
	t.Setenv("PGOPTIONS", "-c work_mem=77MB")
	t.Setenv("PGAPPNAME", "sneaked")
	t.Setenv("PGTZ", "Asia/Tokyo")
	w := newWorld(t)
	conn, err := shared.ConnectAs(t.Context(), w.role, "postgres", map[string]string{
		"application_name": "psql", "options": "-c search_path=kafka,public -c tablewright.mode=apply", "DateStyle": "German",
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Terminate() }()
	for name, want := range map[string]string{"application_name": "psql", "DateStyle": "German, DMY", "TimeZone": "UTC", "session_authorization": w.role, "is_superuser": "off"} {
		if got := conn.ParameterStatuses[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if conn.TxStatus != 'I' || conn.PID == 0 || len(conn.SecretKey) == 0 {
		t.Errorf("connection %+v", conn)
	}
	if n := bytes.Count(conn.Greeting, []byte{'S', 0, 0, 0}); n != len(conn.ParameterStatuses) {
		t.Errorf("greeting with %d messages, want %d", n, len(conn.ParameterStatuses))
	}
	s := hometest.Wrap(t, shared, conn)
	rows, err := s.Run(t.Context(), "select concat_ws(' ', current_setting('search_path'), current_setting('tablewright.mode'), current_setting('work_mem'), current_database())")
	if want := "kafka,public apply 4MB tablewright"; err != nil || rows[0] != want {
		t.Errorf("settings %v, want %s (%v)", rows, want, err)
	}
	bare := hometest.Connect(t, shared, w.role)
	if rows, err := bare.Run(t.Context(), "select count(*) from pg_settings where source in ('client', 'session')"); err != nil || rows[0] != "0" {
		t.Errorf("%v settings of a session that asked for none (%v)", rows, err)
	}
}

// What the home database answers to a login is passed on unchanged.
func TestLoginErrors(t *testing.T) {
	exec(t, "create role no_login nologin; create role limited login connection limit 0; create role expired login valid until '2001-01-01'; create role super superuser login")
	for _, c := range []struct {
		user, database string
		params         map[string]string
		code, message  string
	}{
		{"no_login", "", nil, "28000", `role "no_login" is not permitted to log in`},
		{"limited", "", nil, "53300", `too many connections for role "limited"`},
		{"nobody_at_all", "", nil, "28000", `role "nobody_at_all" does not exist`},
		{"admin", "lake", nil, "3D000", `database "lake" does not exist`},
		{"admin", "template0", nil, "3D000", `database "template0" does not exist`},
		{"admin", "", map[string]string{"work_mem": "x"}, "22023", `invalid value for parameter "work_mem": "x"`},
		{"admin", "", map[string]string{"nonsense": "x"}, "42704", `unrecognized configuration parameter "nonsense"`},
		{"admin", "", map[string]string{"options": "-c session_replication_role=replica"}, "42501", `permission denied to set parameter "session_replication_role"`},
		{postmaster.Superuser, "", nil, "28000", `role "tablewright" is not permitted to log in`},
		{"pg_monitor", "", nil, "28000", `role "pg_monitor" is not permitted to log in`},
	} {
		conn, err := shared.ConnectAs(t.Context(), c.user, c.database, c.params)
		if err == nil {
			_ = conn.Terminate()
		}
		var e *pgconn.PgError
		if !errors.As(err, &e) || e.Code != c.code || e.Message != c.message || e.Severity != "FATAL" {
			t.Errorf("login of %s: %v, want %s %s", c.user, err, c.code, c.message)
		}
	}
	for name, want := range map[string]home.Role{
		"no_login": {Exists: true, ConnLimit: -1},
		"limited":  {Exists: true, CanLogin: true},
		"expired":  {Exists: true, CanLogin: true, ConnLimit: -1, ValidUntil: time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)},
		"super":    {Exists: true, CanLogin: true, ConnLimit: -1, Superuser: true},
		"missing":  {},
	} {
		got, err := shared.Role(t.Context(), name)
		got.ValidUntil = got.ValidUntil.UTC()
		if err != nil || got != want {
			t.Errorf("role %s: %+v, want %+v (%v)", name, got, want, err)
		}
	}
	exec(t, "alter role expired password 'secret'")
	if got, err := shared.Role(t.Context(), "expired"); err != nil || !strings.HasPrefix(got.Verifier, "SCRAM-SHA-256$4096:") {
		t.Errorf("verifier %q, %v", got.Verifier, err)
	}
}

func TestLoginEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := shared.ConnectAs(ctx, "admin", "", nil); hometest.Code(err) != "57P03" {
		t.Errorf("login without time: %v, want 57P03", err)
	}
}

func TestCancelRequest(t *testing.T) {
	w := newWorld(t)
	conn, err := shared.ConnectAs(t.Context(), w.role, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	s := hometest.Wrap(t, shared, conn)
	for name, cancel := range map[string]func() error{
		"by number":     func() error { return shared.CancelRequest(t.Context(), conn.PID, conn.SecretKey) },
		"by connection": func() error { return conn.CancelRequest(t.Context()) },
	} {
		ended := make(chan error, 1)
		go func() {
			_, err := s.Run(t.Context(), "select pg_sleep(60)")
			ended <- err
		}()
		awaitQuery(t, "select count(*)::text from pg_stat_activity where query = 'select pg_sleep(60)' and state = 'active' and pid = "+fmt.Sprint(conn.PID), "1")
		if err := shared.CancelRequest(t.Context(), conn.PID, []byte{1, 2, 3, 4}); err != nil {
			t.Errorf("with a wrong key: %v", err)
		}
		if err := cancel(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := <-ended; hometest.Code(err) != "57014" {
			t.Errorf("%s: %v, want 57014", name, err)
		}
	}
}

func awaitQuery(t *testing.T, sql, want string) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for query(t, sql) != want {
		if time.Now().After(deadline) {
			t.Fatalf("not within 20 s: %s = %s", sql, want)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
