package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tablewright/tablewright/home/hometest"
	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
)

type (
	gatewayKey struct{}
	otherKey   struct{}
)

// setup gives each script a data folder, ports, a database of its own on the external PostgreSQL, and
// psql's environment.
func setup(env *testscript.Env) error {
	dir, remove, err := hometest.NewDir()
	if err != nil {
		return err
	}
	g := newGateway(dir)
	env.Values[gatewayKey{}] = g
	env.Defer(func() {
		_ = g.stop(syscall.SIGKILL) // a script that ends with a running gateway has stopped caring for it
		_ = remove()
	})
	for k, v := range g.environment() {
		env.Setenv(k, v)
	}
	other := newGateway(dir + "-other")
	env.Values[otherKey{}] = other
	env.Defer(func() { _ = other.stop(syscall.SIGKILL) })
	env.Setenv("OTHER_PORT", strconv.Itoa(other.port))
	database := "e2e_" + strings.ReplaceAll(filepath.Base(filepath.Dir(dir)), "-", "_")
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := external.Exec(ctx, "postgres", fmt.Sprintf("create database %q", database)); err != nil {
		return err
	}
	env.Setenv("EXT_PORT", strconv.Itoa(int(external.Port)))
	env.Setenv("EXT_DB", database)
	env.Setenv("PORT", strconv.Itoa(g.port))
	env.Setenv("EXT_USER", pgserver.Superuser)
	env.Setenv("EXT_PASSWORD", pgserver.Password)
	env.Setenv("EXT_DSN", fmt.Sprintf("host=127.0.0.1 port=%d user=%s password=%s dbname=%s", external.Port, pgserver.Superuser, pgserver.Password, database))
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	env.Setenv("ROOT", root)
	env.Setenv("PYTHON", filepath.Join(root, ".tools", "venv", "bin", "python"))
	return nil
}

func commands() map[string]func(ts *testscript.TestScript, neg bool, args []string) {
	return map[string]func(ts *testscript.TestScript, neg bool, args []string){
		"gateway":      cmdGateway,
		"apply":        cmdApply,
		"sql":          cmdSQL,
		"other":        cmdOther,
		"waitfile":     cmdWaitFile,
		"waitjob":      cmdWaitJob,
		"waitexternal": cmdWaitExternal,
		"waithome":     cmdWaitHome,
		"waitlocked":   cmdWaitLocked,
		"waitready":    cmdWaitReady,
		"waitsleeping": cmdWaitSleeping,
	}
}

// cmdGateway is: gateway start [flag…] | stop | kill | log.
func cmdGateway(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: gateway start|stop|kill|log")
	}
	g := ts.Value(gatewayKey{}).(*gateway)
	var err error
	switch args[0] {
	case "start":
		g.args = args[1:]
		if env := ts.Getenv("GATEWAY_ENV"); env != "" {
			g.env = strings.Fields(env)
		}
		err = g.start()
	case "stop":
		err = g.stop(syscall.SIGTERM)
	case "kill":
		err = g.stop(syscall.SIGKILL)
	case "log":
		_, err = fmt.Fprint(ts.Stdout(), g.output())
	default:
		ts.Fatalf("unknown: gateway %s", args[0])
	}
	switch {
	case err != nil && !neg:
		ts.Fatalf("gateway %s: %v\n%s", args[0], err, g.output())
	case err == nil && neg:
		ts.Fatalf("gateway %s succeeded unexpectedly", args[0])
	case neg:
		_, _ = fmt.Fprint(ts.Stdout(), g.output())
	}
}

// cmdOther is: other start [flag...] | stop. It is a second gateway, with a data folder and a namespace of
// its own.
func cmdOther(ts *testscript.TestScript, neg bool, args []string) {
	g := ts.Value(otherKey{}).(*gateway)
	if neg || len(args) == 0 {
		ts.Fatalf("usage: other start|stop")
	}
	var err error
	switch args[0] {
	case "start":
		g.args, g.env = args[1:], []string{"TABLEWRIGHT_NAMESPACE=team-b"}
		err = g.start()
	case "stop":
		err = g.stop(syscall.SIGTERM)
	default:
		ts.Fatalf("unknown: other %s", args[0])
	}
	if err != nil {
		ts.Fatalf("other %s: %v\n%s", args[0], err, g.output())
	}
}

// cmdSQL is: sql file. It runs a file through psql as a person would, statement by statement with errors
// shown and gone past; stdout is all that psql prints, masked where it must vary.
func cmdSQL(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: sql file")
	}
	text := ts.ReadFile(args[0])
	for _, name := range []string{"EXT_PORT", "EXT_DB", "EXT_USER", "EXT_PASSWORD", "DATA", "PORT"} {
		text = strings.ReplaceAll(text, "${"+name+"}", ts.Getenv(name))
	}
	cmd := exec.Command("psql", "-X", "-a", "-q", "-v", "VERBOSITY=verbose", "-v", "SHOW_CONTEXT=never")
	cmd.Stdin = strings.NewReader(text)
	for _, k := range []string{"PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "PGCONNECT_TIMEOUT", "PATH", "HOME"} {
		cmd.Env = append(cmd.Env, k+"="+ts.Getenv(k))
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if err != nil {
		ts.Fatalf("psql: %v\n%s", err, out)
	}
	_, err = fmt.Fprint(ts.Stdout(), mask(ts, string(out)))
	ts.Check(err)
}
