package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// jars are the versions of pgjdbc that scripts/setup fetched: the current one and an old one that is
// still met, which asks for other things.
func jars(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("../../.tools/jdbc/postgresql-*.jar")
	if err != nil || len(found) < 2 {
		t.Fatalf("%d versions of pgjdbc in .tools/jdbc, run `scripts/setup test` first", len(found))
	}
	return found
}

// runJava runs a single-file program of testdata/jdbc with each version of pgjdbc.
func runJava(t *testing.T, g *gateway, program string) {
	t.Helper()
	for _, jar := range jars(t) {
		t.Run(strings.TrimSuffix(filepath.Base(jar), ".jar"), func(t *testing.T) {
			url := fmt.Sprintf("jdbc:postgresql://127.0.0.1:%d/tablewright?user=admin", g.port)
			out, err := exec.Command("java", "-cp", jar, filepath.Join("testdata", "jdbc", program), url).CombinedOutput()
			if err != nil || strings.TrimSpace(string(out)) != "ok" {
				t.Fatalf("%v\n%s\n%s", err, out, g.output())
			}
			if out := g.psql(t, "-qc", "set client_min_messages = warning", "-qc", "drop table if exists jdbc_item"); out != "" {
				t.Fatal(out)
			}
		})
	}
}

func TestJDBCPassThrough(t *testing.T) {
	t.Parallel()
	runJava(t, startGateway(t), "PassThrough.java")
}

func TestJDBCTables(t *testing.T) {
	t.Parallel()
	runJava(t, startGateway(t), "Tables.java")
}
