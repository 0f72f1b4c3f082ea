package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// masks is every normalisation of output before it is compared, each with its reason.
var masks = []struct {
	pattern *regexp.Regexp
	with    string
	reason  string
}{
	{regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b`), "<job>", "job ids are new in each run"},
	{regexp.MustCompile(`(?m)^LOCATION: .*\n`), "", "source lines of PostgreSQL differ between versions"},
	{regexp.MustCompile(`\b20\d\d-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?([+-]\d\d(:?\d\d)?)?`), "<time>", "times are those of the run"},
	{regexp.MustCompile(`(object: \S+ = |\buid: )[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`), "${1}<identity>", "Iceberg tables have random ids"},
	{regexp.MustCompile(`(?m)(^ +object: \S+ = )\d+:\d+$`), "${1}<identity>", "the external server numbers its objects and transactions"},
}

func mask(ts *testscript.TestScript, text string) string {
	for _, m := range masks {
		text = m.pattern.ReplaceAllString(text, m.with)
	}
	for _, name := range []string{"EXT_DB", "EXT_PORT", "DATA", "PORT"} {
		text = strings.ReplaceAll(text, ts.Getenv(name), "$"+name)
	}
	return text
}

// A mask must hide nothing but what its reason says: an altered value beside it stays visible.
func TestMasksHideNothingElse(t *testing.T) {
	line := "job 01890f3e-1111-7222-8333-444455556666 failed at 2026-11-30 10:00:00+00 with 42P07"
	for _, altered := range []string{
		strings.Replace(line, "failed", "succeeded", 1),
		strings.Replace(line, "42P07", "42P06", 1),
		strings.Replace(line, "-7222-", "-4222-", 1),
	} {
		a, b := line, altered
		for _, m := range masks {
			a, b = m.pattern.ReplaceAllString(a, m.with), m.pattern.ReplaceAllString(b, m.with)
		}
		if a == b {
			t.Errorf("masked %q and %q look alike", line, altered)
		}
	}
}
