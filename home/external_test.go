package home_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/home/history"
	"github.com/tablewright/tablewright/home/hometest"
	"github.com/tablewright/tablewright/home/postmaster"
)

func TestSetupScriptIsUpToDate(t *testing.T) {
	path := filepath.Join("..", "configs", "home-setup.sql")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(home.SetupScript()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(home.SetupScript(), string(got)); diff != "" {
		t.Errorf("run UPDATE=1 go test ./home -run TestSetupScriptIsUpToDate (-want +got):\n%s", diff)
	}
}

// An external home database whose owner is no superuser does all that the embedded one does.
func TestExternal(t *testing.T) {
	ctx := t.Context()
	dsn := hometest.External(t)
	h := hometest.Open(t, home.Options{DSN: dsn, DataDir: hometest.Dir(t)})
	if h.Embedded() || h.DatabaseName() != hometest.ExternalDatabase || h.GatewayRole() != hometest.ExternalOwner {
		t.Errorf("home is %s of %s", h.DatabaseName(), h.GatewayRole())
	}
	if err := h.Ready(ctx); err != nil {
		t.Error(err)
	}
	var super bool
	if err := h.Pool().QueryRow(ctx, "select rolsuper from pg_roles where rolname = current_user").Scan(&super); err != nil || super {
		t.Fatalf("the owner is a superuser: %v, %v", super, err)
	}
	role, err := h.Role(ctx, "admin")
	if err != nil || !role.Exists || !role.CanLogin || role.Superuser {
		t.Errorf("admin: %+v, %v", role, err)
	}
	admin := hometest.Connect(t, h, "admin")
	for _, statement := range []string{
		`create server kafka foreign data wrapper kafka options (bootstrap_servers 'x')`,
		`create schema kafka`,
		`create table kafka.orders (id int primary key)`,
		`alter table kafka.orders add column s text`,
		`select tablewright.set_relation('kafka.orders'::regclass, '{"state": "ready"}')`,
	} {
		if err := admin.Ticketed(ctx, statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	for statement, code := range map[string]string{
		`alter table kafka.orders add column z int`: "42501",
		`select * from kafka.orders`:                "55000",
		`insert into kafka.orders values (1)`:       "55000",
	} {
		if _, err := admin.Run(ctx, statement); hometest.Code(err) != code {
			t.Errorf("%s: %v, want %s", statement, err, code)
		}
	}
	store := history.New(h.Pool())
	job, _, err := store.Begin(ctx, history.Record{Kind: "CREATE TABLE", Target: "kafka.orders", Submitter: "admin"})
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := admin.Run(ctx, "select job_id from tablewright.show_jobs"); err != nil || len(rows) != 1 || rows[0] != job.JobID.String() {
		t.Errorf("SHOW JOBS: %v, %v", rows, err)
	}
	// The gateway's role cannot make itself superuser by way of what it may write to.
	for _, statement := range []string{
		"create trigger x before update on tablewright.relation execute function suppress_redundant_updates_trigger()",
		"alter table tablewright.relation owner to current_user",
		"drop function tablewright.guard() cascade",
		"drop event trigger tablewright_guard",
		"insert into tablewright.relation (oid, catalog, path) values (1, 'kafka', '{}')",
		"create or replace function tablewright.ticket_ok(text) returns boolean language sql as 'select true'",
	} {
		if _, err := h.Pool().Exec(ctx, statement); hometest.Code(err) != "42501" {
			t.Errorf("%s: %v, want 42501", statement, err)
		}
	}
	dropShadow(t, h)
	snapshotOfOrders(t, h)
	// A second gateway shares it.
	second := hometest.Open(t, home.Options{DSN: dsn, DataDir: hometest.Dir(t)})
	if got, want := second.Ticket(1, "x"), h.Ticket(1, "x"); got != want {
		t.Error("two gateways make different tickets")
	}
}

// dropShadow drops another role's shadow by the gateway's own, and a schema.
func dropShadow(t *testing.T, h *home.Home) {
	t.Helper()
	ctx := t.Context()
	admin := hometest.Connect(t, h, "admin")
	if err := admin.Ticketed(ctx, "create server store foreign data wrapper postgres options (host 'x')"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ create, oid, drop, gone string }{
		{"create table kafka.failed (id int)", "select 'kafka.failed'::regclass::oid", "drop_shadow", "select to_regclass('kafka.failed') is null"},
		{`create schema "store.failed"`, `select '"store.failed"'::regnamespace::oid`, "drop_shadow_schema", `select to_regnamespace('"store.failed"') is null`},
	} {
		if err := admin.Ticketed(ctx, c.create); err != nil {
			t.Fatal(err)
		}
		rows, err := admin.Run(ctx, c.oid)
		if err != nil {
			t.Fatal(err)
		}
		drop := fmt.Sprintf("select tablewright.%s(%s)", c.drop, rows[0])
		tx, err := h.Pool().Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(ctx, "savepoint s"); err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(ctx, drop); hometest.Code(err) != "42501" {
			t.Errorf("%s without a ticket: %v, want 42501", c.drop, err)
		}
		if _, err := tx.Exec(ctx, "rollback to s"); err != nil {
			t.Fatal(err)
		}
		if err := h.ExecTicketed(ctx, tx, drop); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		if rows, err := admin.Run(ctx, c.gone); err != nil || rows[0] != "t" {
			t.Errorf("%s: gone %v, %v", c.drop, rows, err)
		}
	}
}

func snapshotOfOrders(t *testing.T, h *home.Home) {
	t.Helper()
	s, err := home.ReadSnapshot(t.Context(), home.PgxQuerier{Conn: h.Pool()}, home.Wanted{Relations: []home.RelationName{{Schema: "kafka", Name: "orders"}}})
	if err != nil {
		t.Fatal(err)
	}
	if r := s.Relations["kafka.orders"]; !r.Managed || r.State != "ready" {
		t.Errorf("snapshot: %+v", s)
	}
}

func TestCheckTellsWhatIsMissing(t *testing.T) {
	socket := hometest.Bare(t)
	missing := func(dsn string) (needed, optional []string) {
		t.Helper()
		rights, err := home.Check(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rights {
			if r.Feature == "" {
				t.Errorf("%s is for nothing", r.Name)
			}
			switch {
			case r.Has:
			case r.Needed:
				needed = append(needed, r.Name)
			default:
				optional = append(optional, r.Name)
			}
		}
		return needed, optional
	}
	bare, _ := missing(hometest.DSN(socket, postmaster.Superuser, "postgres"))
	if len(bare) != 7 || !strings.Contains(strings.Join(bare, " "), "home-setup.sql") {
		t.Errorf("missing at a bare server: %q", bare)
	}
	hometest.RunSetup(t, socket)
	hometest.RunSetup(t, socket) // again
	dsn := hometest.DSN(socket, hometest.ExternalOwner, hometest.ExternalDatabase)
	if needed, optional := missing(dsn); needed != nil || optional != nil {
		t.Errorf("missing after the setup: %q, %q", needed, optional)
	}
	// Without the setup, an owner that cannot run it is told so.
	_, err := home.Open(t.Context(), home.Options{DSN: hometest.DSN(socket, hometest.ExternalOwner, "postgres")})
	var setup *home.SetupError
	if !errors.As(err, &setup) || !strings.Contains(err.Error(), "configs/home-setup.sql") {
		t.Errorf("open without the setup: %v", err)
	}
}
