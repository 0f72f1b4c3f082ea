package e2e

import (
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

const waitMax = 60 * time.Second

// cmdWaitFile waits until another program of the script has made a file.
func cmdWaitFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitfile path")
	}
	path := ts.MkAbs(args[0])
	until(ts, "file "+path, func() bool {
		_, err := os.Stat(path)
		return err == nil
	})
}

// cmdWaitJob waits until a job is in a state; `none` means that every job has ended.
func cmdWaitJob(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitjob state|none")
	}
	states := "'" + strings.ReplaceAll(args[0], ",", "','") + "'"
	query, want := "select count(*) from tablewright.jobs where state in ("+states+") and path = 'slow'", "1"
	if args[0] == "none" {
		query, want = "select count(*) from tablewright.jobs where finished is null", "0"
	}
	until(ts, "jobs: "+args[0], func() bool { return answers(ts, query, want) })
}

// answers tells whether the gateway answers a query with one value.
func answers(ts *testscript.TestScript, query, want string) bool {
	cmd := exec.Command("psql", "-X", "-At", "-c", query)
	for _, k := range []string{"PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "PATH", "HOME"} {
		cmd.Env = append(cmd.Env, k+"="+ts.Getenv(k))
	}
	out, err := cmd.Output()
	return err == nil && strings.TrimSpace(string(out)) == want
}

// cmdWaitReady waits until the gateway answers.
func cmdWaitReady(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: waitready")
	}
	until(ts, "ready", func() bool { return answers(ts, "select 1", "1") })
}

// cmdWaitSleeping waits until a session of the script is in pg_sleep.
func cmdWaitSleeping(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: waitsleeping")
	}
	until(ts, "asleep", func() bool {
		return answers(ts, "select count(*) from pg_stat_activity where query like 'select pg_sleep%'", "1")
	})
}

// cmdWaitLocked waits until hold.sql of the script sleeps with its locks in the external server.
func cmdWaitLocked(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: waitlocked")
	}
	until(ts, "locks are held", func() bool {
		return externalSays(ts, "select exists (select from pg_stat_activity where datname = current_database() and query like 'select pg_sleep%')")
	})
}

// cmdWaitExternal is: waitexternal query. It waits until the external server answers the query with true.
func cmdWaitExternal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitexternal query")
	}
	until(ts, args[0], func() bool { return externalSays(ts, args[0]) })
}

// cmdWaitHome is: waithome query. It waits until the query answers t through the gateway.
func cmdWaitHome(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waithome query")
	}
	until(ts, args[0], func() bool { return answers(ts, args[0], "t") })
}

func externalSays(ts *testscript.TestScript, query string) bool {
	out, err := exec.Command("psql", "-X", "-At", "-d", ts.Getenv("EXT_DSN"), "-c", query).Output()
	return err == nil && strings.TrimSpace(string(out)) == "t"
}

func until(ts *testscript.TestScript, what string, reached func() bool) {
	for deadline := time.Now().Add(waitMax); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if reached() {
			return
		}
	}
	ts.Fatalf("not reached: %s", what)
}
