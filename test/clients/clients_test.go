package clients

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// programMax bounds one run of a client's program.
const programMax = 3 * time.Minute

// toldByGateway are lines that only the gateway gives, the same for all clients that give them.
var toldByGateway = map[string]*regexp.Regexp{
	"gateway notice": regexp.MustCompile(`^started, then the end$`),
	"gateway cancel": regexp.MustCompile(`57014|^job cancelled$`),
	"gateway fetch":  regexp.MustCompile(`0A000|DECLARE CURSOR|HINT:|LINE 2:|^ *\^$`),
}

// client is one of the matrix; its program writes what it was told, line by line: "<thing>: <what>".
type client struct {
	name string
	run  func(ctx context.Context, s *side) (string, error)
	// without are the things that this client cannot do, with the reason; docs/clients.md has them too.
	without map[string]string
}

// things are what each client does. Lines that begin with "gateway " are about what PostgreSQL does not have.
var things = []string{"connect", "ddl", "types", "error", "notice", "gateway notice", "cancel", "gateway cancel", "pool", "fetch"}

func TestClients(t *testing.T) {
	for _, c := range matrix(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			own := strings.NewReplacer(" ", "_", "-", "_", ".", "_", "/", "_").Replace(c.name)
			got := c.transcript(t, gatewaySide(t, own))
			want := c.transcript(t, postgresSide(t, own))
			var common []string
			seen := map[string]bool{}
			for _, line := range got {
				thing, what, _ := strings.Cut(line, ": ")
				seen[thing] = true
				if right, ok := toldByGateway[thing]; ok && !right.MatchString(what) || strings.Contains(what, "statement timeout") {
					t.Errorf("%s is told %q", thing, what)
				}
				if !strings.HasPrefix(line, "gateway ") {
					common = append(common, line)
				}
			}
			if diff := cmp.Diff(want, common); diff != "" {
				t.Errorf("the gateway is not as PostgreSQL (-want +got)\n%s", diff)
			}
			for _, thing := range things {
				if _, cannot := c.without[thing]; seen[thing] == cannot {
					t.Errorf("%s: seen %v, but expected otherwise", thing, seen[thing])
				}
			}
			if t.Failed() || testing.Verbose() {
				t.Log(strings.Join(got, "\n"))
			}
		})
	}
}

// transcript runs the program with one side.
func (c client) transcript(t *testing.T, s *side) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), programMax)
	defer cancel()
	out, err := c.run(ctx, s)
	if err != nil {
		log := gateway.Log()
		t.Fatalf("with %s: %v\n%s\n--- the gateway's log ends\n%s", s.name, err, out, log[max(0, len(log)-4000):])
	}
	return strings.Split(strings.TrimSpace(out), "\n")
}

// command makes a client of a program of another language.
func command(name string, args ...string) func(context.Context, *side) (string, error) {
	return func(ctx context.Context, s *side) (string, error) {
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Env = s.environment()
		var out, complaints bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &complaints
		if err := cmd.Run(); err != nil {
			return "", errors.Join(err, ctx.Err(), fmt.Errorf("%s\n%s", &out, &complaints))
		}
		return out.String(), nil
	}
}

// installed is the path of something that `scripts/setup clients` installs.
func installed(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("..", "..", ".tools", pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("no %s in .tools: run `scripts/setup clients` first", pattern)
	}
	absolute, err := filepath.Abs(found[0])
	if err != nil {
		t.Fatal(err)
	}
	found[0] = absolute
	return found
}

func matrix(t *testing.T) []client {
	t.Helper()
	python := installed(t, "venv/bin/python")[0]
	t.Setenv("NODE_PATH", installed(t, "node/node_modules")[0])
	clients := []client{
		{name: "psql", run: withPsql},
		{name: "pgx", run: withPgx},
		{name: "npgsql startup", run: withNpgsql},
		{name: "lib/pq", run: withPQ},
		{name: "psql by pgbouncer session", run: throughPgBouncer("session", withPsql)},
		{name: "pgx by pgbouncer session", run: throughPgBouncer("session", withPgx)},
		{name: "pgx by pgbouncer transaction", run: throughPgBouncer("transaction", withPgx)},
		{name: "node-postgres", run: command("node", "testdata/node/program.js")},
		{name: "psycopg3", run: command(python, "testdata/python/psycopg3_program.py")},
		{name: "psycopg2", run: command(python, "testdata/python/psycopg2_program.py")},
		{name: "asyncpg", run: command(python, "testdata/python/asyncpg_program.py")},
		{name: "sqlalchemy psycopg", run: command(python, "testdata/python/sqlalchemy_program.py", "psycopg")},
		{
			name: "sqlalchemy psycopg2", run: command(python, "testdata/python/sqlalchemy_program.py", "psycopg2"),
			without: map[string]string{
				"notice":         "psycopg2 shows notices before the end only to a wait callback, which belongs to the process",
				"gateway notice": "likewise", "gateway cancel": "waits for a notice",
			},
		},
	}
	return append(clients, jdbc(t)...)
}

// jdbc compiles the program once; both versions of the driver run it.
func jdbc(t *testing.T) (clients []client) {
	t.Helper()
	jars, dir := installed(t, "jdbc/postgresql-*.jar"), t.TempDir()
	if len(jars) < 2 {
		t.Fatalf("two versions of pgjdbc are wanted, there is %q: run `scripts/setup clients`", jars)
	}
	if out, err := exec.CommandContext(t.Context(), "javac", "-cp", jars[0], "-d", dir, "testdata/java/Program.java").CombinedOutput(); err != nil {
		t.Fatalf("javac: %v\n%s", err, out)
	}
	for _, jar := range jars {
		version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(jar), "postgresql-"), ".jar")
		run := command("java", "-XX:TieredStopAtLevel=1", "-cp", jar+":"+dir, "Program")
		clients = append(clients, client{name: "pgjdbc " + version, run: run})
	}
	return clients
}
