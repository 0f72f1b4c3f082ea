package plan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/tablewright/tablewright/ddl/plan"
)

// TestFormatsAgree: YAML and JSON hold the same, whatever the strings look like.
func TestFormatsAgree(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"plain", "yes", "No", "null", "1.5", "0x1f", "- x", "a: b", "# c", " leading", "trailing ", "", "tab\there", "ä ö", "\"q\"", "it's",
		"two\nlines", "two\nlines\n", "\nfirst empty", "end empty\n\n", " indented\nlines", "bell\a\nline", "@at", "`tick`", "*a", "&a",
		"!t", "%p", "{x}", "[y]", "a,b", "~", "2024-01-01", "on", "=", "<<", "? x", ": x", "a\\b", "\u0085next", "\ufeffbom",
	} {
		p := samplePlan()
		p.Steps[0].Target.Table.Columns[0].Default = text
		p.Settings = append(p.Settings, p.Steps[0].Catalog.Options...)
		extra := plan.Extra{Steps: map[string]plan.StepExtra{p.Steps[0].ID: {
			Calls: []string{text}, Manifest: text, Observed: &plan.Observed{Exists: true, Differences: []string{text, "x"}},
		}}}
		asJSON, err := plan.Explain(p, plan.JSONFormat, extra)
		if err != nil {
			t.Fatal(err)
		}
		asYAML, err := plan.Explain(p, plan.YAMLFormat, extra)
		if err != nil {
			t.Fatal(err)
		}
		var fromJSON, fromYAML any
		if err := json.Unmarshal([]byte(asJSON), &fromJSON); err != nil {
			t.Fatalf("%q: %v\n%s", text, err, asJSON)
		}
		if err := yaml.Unmarshal([]byte(asYAML), &fromYAML); err != nil {
			t.Fatalf("%q: %v\n%s", text, err, asYAML)
		}
		if diff := cmp.Diff(fromJSON, fromYAML); diff != "" {
			t.Errorf("%q (-JSON +YAML):\n%s\n%s", text, diff, asYAML)
		}
	}
}

// TestPointOfNoReturn: the line stands before the first step that cannot be undone, and only then.
func TestPointOfNoReturn(t *testing.T) {
	t.Parallel()
	p := samplePlan()
	text, err := plan.Explain(p, plan.TextFormat, plan.Extra{})
	if err != nil || strings.Contains(text, "point of no return") {
		t.Fatalf("%v\n%s", err, text)
	}
	drop := p.Steps[0]
	drop.ID, drop.Action, drop.Destructive = "drop table kafka.u", plan.Drop, true
	p.Steps = []plan.Step{drop, p.Steps[0]}
	text, err = plan.Explain(p, plan.TextFormat, plan.Extra{})
	if err != nil {
		t.Fatal(err)
	}
	create, line, last := strings.Index(text, "create table kafka.t ("), strings.Index(text, "point of no return"),
		strings.Index(text, "drop table kafka.u")
	if create < 0 || line < create || last < line {
		t.Fatalf("create at %d, line at %d, drop at %d:\n%s", create, line, last, text)
	}
	if _, err := plan.Explain(p, "xml", plan.Extra{}); err == nil {
		t.Fatal("an unknown format is no error")
	}
}
