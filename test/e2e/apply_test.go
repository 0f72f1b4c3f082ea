package e2e

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

var durations = regexp.MustCompile(`"duration_ms":[0-9.]+`)

// cmdApply is: apply [-in file] flag…. It runs `tablewright apply` against the script's gateway; stdout is what it
// prints, masked where it must vary, and its exit code as a last line.
func cmdApply(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: apply flag…")
	}
	var stdin string
	if args[0] == "-in" {
		stdin, args = ts.ReadFile(args[1]), args[2:]
	}
	cmd := exec.Command(binary(), append([]string{"apply"}, args...)...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Stdin = strings.NewReader(stdin)
	for _, k := range []string{"PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "PGCONNECT_TIMEOUT", "PATH", "HOME", "TABLEWRIGHT_DSN"} {
		if v := ts.Getenv(k); v != "" {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
	}
	out, err := cmd.CombinedOutput()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		ts.Fatalf("apply: %v", err)
	}
	text := durations.ReplaceAllString(mask(ts, string(out)), `"duration_ms":0`)
	_, err = fmt.Fprintf(ts.Stdout(), "%sexit code %d\n", text, cmd.ProcessState.ExitCode())
	ts.Check(err)
}
