package e2e

import (
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tablewright/tablewright/home/hometest"
)

// The home database may be any PostgreSQL, and the gateway's role there no superuser.
func TestExternalHome(t *testing.T) {
	t.Parallel()
	dsn := hometest.External(t)
	check := exec.Command(binary(), "home", "check", "--home-dsn", dsn)
	if out, err := check.CombinedOutput(); err != nil || !strings.Contains(string(out), "PostgreSQL 15 or newer") {
		t.Fatalf("%v\n%s", err, out)
	}
	g := newGateway(hometest.Dir(t))
	g.args = []string{"--home-dsn", dsn}
	g.db = "postgres" // which means the home database, whatever that is called
	if err := g.start(); err != nil {
		t.Fatalf("%v\n%s", err, g.output())
	}
	t.Cleanup(func() {
		if err := g.stop(syscall.SIGTERM); err != nil {
			t.Errorf("%v\n%s", err, g.output())
		}
	})
	conn := connect(t, g)
	registerExternal(t, conn)
	mustExec(t, conn, fmt.Sprintf(`create catalog lake with (type = 'iceberg', uri = 'sqlite:///%s/lake/catalog.db',
		warehouse = 'file://%s/lake/warehouse', provisioning = 'job')`, g.dir, g.dir))
	for _, sql := range []string{
		"create schema lake.s",
		"create table lake.s.t (a int, b text)",
		"insert into lake.s.t values (1, 'x')",
		"create schema ext.home_test",
		"create table ext.home_test.t (a int)",
		"create table public.plain (a int)",
	} {
		mustExec(t, conn, sql)
	}
	var b string
	if err := conn.QueryRow(t.Context(), "select b from lake.s.t where a = 1").Scan(&b); err != nil || b != "x" {
		t.Fatalf("%q, %v", b, err)
	}
	// A second gateway knows what the first has made: both keep nothing but what is at home.
	if err := g.stop(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := g.start(); err != nil {
		t.Fatalf("%v\n%s", err, g.output())
	}
	conn = connect(t, g)
	mustExec(t, conn, "drop table lake.s.t")
	mustExec(t, conn, "drop table ext.home_test.t")
	mustExec(t, conn, "drop schema ext.home_test")
	got := g.psql(t, "-Atc", "select kind || ' ' || target || ' ' || state from tablewright.jobs where kind like 'DROP%' order by created")
	want := "DROP TABLE lake.s.t succeeded\nDROP TABLE ext.home_test.t succeeded\nDROP SCHEMA ext.home_test succeeded"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
}
