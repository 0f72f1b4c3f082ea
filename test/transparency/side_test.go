package transparency

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// scriptMax bounds one run of psql.
const scriptMax = 60 * time.Second

// writer is the ordinary role that scripts run as. Its schema has its name, so that the search path finds
// it first.
const writer = "writer"

// side is one way to the same server: its own socket, or the gateway.
type side struct {
	name string
	host string
	port int
}

func (g *gateway) direct() side  { return side{"directly", g.socket(), 5432} }
func (g *gateway) through() side { return side{"through the gateway", "127.0.0.1", g.Port} }

// clientPrograms is the folder of the newest psql itself: what Debian puts into the PATH is a script that
// takes longer to start than psql takes for a script.
func clientPrograms() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/psql")
	if err != nil || len(found) == 0 {
		return "", errors.New("no psql below /usr/lib/postgresql: run scripts/setup")
	}
	return filepath.Dir(found[len(found)-1]), nil
}

// run runs psql and returns all that it printed, in the order in which it did, and its exit code.
func (s side) run(ctx context.Context, dir string, env, args []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, scriptMax)
	defer cancel()
	bin, err := clientPrograms()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "psql"), append([]string{"-X"}, args...)...)
	cmd.Dir = dir
	// What psql has started ends with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	cmd.Env = append([]string{
		"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C.UTF-8", "PGSSLMODE=disable", "PGGSSENCMODE=disable",
		"PGHOST=" + s.host, "PGPORT=" + strconv.Itoa(s.port), "PGUSER=" + writer, "PGDATABASE=" + database,
		"PGCONNECT_TIMEOUT=20", "PSQL_EDITOR=true",
	}, env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("psql %s took more than %s:\n%s", s.name, scriptMax, out.String())
	case err != nil && !errors.As(err, &exit):
		return "", err
	}
	return fmt.Sprintf("%s[exit code %d]\n", out.String(), cmd.ProcessState.ExitCode()), nil
}

// script is one file of the corpus. Lines "--: key value" at its beginning say how it is run.
type script struct {
	path    string
	text    string
	message bool     // the whole file is one message: psql -c
	args    []string // more arguments of psql
	env     []string
	role    string   // attributes of the role
	grants  []string // roles that it is a member of
	setup   []string // what the superuser does before
	tidy    []string // and after
}

func readScript(path string) (script, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return script{}, err
	}
	return parseScript(path, string(text))
}

func parseScript(path, text string) (script, error) {
	s := script{path: path, text: text}
	for line := range strings.Lines(s.text) {
		directive, ok := strings.CutPrefix(strings.TrimSpace(line), "--: ")
		if !ok {
			break
		}
		key, value, _ := strings.Cut(directive, " ")
		switch key {
		case "message":
			s.message = true
		case "args":
			s.args = append(s.args, strings.Fields(value)...)
		case "env":
			s.env = append(s.env, value)
		case "role":
			s.role = value
		case "setup":
			s.setup = append(s.setup, value)
		case "teardown":
			s.tidy = append(s.tidy, value)
		case "grant":
			s.grants = append(s.grants, strings.Fields(value)...)
		default:
			return script{}, fmt.Errorf("%s: unknown directive %q", path, key)
		}
	}
	return s, nil
}

// run runs the script on one side in a folder of its own, its role and its schema fresh.
func (s script) run(ctx context.Context, g *gateway, on side) (output string, err error) {
	dir, err := os.MkdirTemp("", "tw-sql-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	name := filepath.Base(s.path)
	if err := os.WriteFile(filepath.Join(dir, name), []byte(s.text), 0o600); err != nil {
		return "", err
	}
	if err := g.freshRole(ctx, s.role, s.grants); err != nil {
		return "", fmt.Errorf("fresh state: %w", err)
	}
	for _, statement := range s.setup {
		if _, err := g.root.Exec(ctx, statement); err != nil {
			return "", fmt.Errorf("setup: %w", err)
		}
	}
	defer func() {
		for _, statement := range s.tidy {
			_, tidyErr := g.root.Exec(ctx, statement)
			err = errors.Join(err, tidyErr)
		}
	}()
	args := append([]string{"-v", "VERBOSITY=verbose", "-v", "SHOW_CONTEXT=always"}, s.args...)
	if s.message {
		args = append(args, "-c", s.text)
	} else {
		args = append(args, "-a", "-f", name)
	}
	return on.run(ctx, dir, s.env, args)
}

// keepRoles are the roles of the server that no script made.
const keepRoles = `'admin', 'tablewright', 'tablewright_monitor'`

// freshRole takes everything away that a script has left and makes its role and schema again.
func (g *gateway) freshRole(ctx context.Context, attributes string, grants []string) error {
	_, err := g.root.Exec(ctx, `do $$
		declare name text; id oid;
		begin
			for id in select oid from pg_largeobject_metadata loop perform lo_unlink(id); end loop;
			for name in select quote_ident(rolname) from pg_roles
					where rolname not in (`+keepRoles+`) and rolname !~ '^pg_' loop
				execute 'drop owned by ' || name || ' cascade';
			end loop;
			for name in select quote_ident(rolname) from pg_roles
					where rolname not in (`+keepRoles+`) and rolname !~ '^pg_' loop
				execute 'drop role ' || name;
			end loop;
		end $$`)
	if err != nil {
		return err
	}
	statements := []string{
		"create role " + writer + " login " + attributes,
		"create schema " + writer + " authorization " + writer,
		"grant create on database " + database + " to " + writer,
	}
	for _, role := range grants {
		statements = append(statements, "grant "+role+" to "+writer)
	}
	_, err = g.root.Exec(ctx, strings.Join(statements, ";"))
	return err
}
