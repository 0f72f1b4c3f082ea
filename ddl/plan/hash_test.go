package plan_test

import (
	"testing"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
)

func samplePlan() *plan.Plan {
	return &plan.Plan{
		Tag: "CREATE TABLE", Target: "kafka.t", TargetUID: "absent",
		Home: []plan.HomeStatement{{SQL: "create table kafka.t (a int)"}},
		Steps: []plan.Step{{
			ID: "create table kafka.t", Action: plan.Create, Path: plan.Fast, Catalog: catalog.Catalog{Name: "kafka", Type: "kafka"},
			Target: plan.Resource{
				Kind: plan.TableKind, Name: catalog.Name{Catalog: "kafka", Table: "t"},
				Table: catalog.Table{Columns: []catalog.Column{{Name: "a", Type: "integer"}}},
			},
		}},
	}
}

// TestFingerprint: the same work has the same hash whoever asks, other work another one.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	base := fingerprint(t, samplePlan())
	for name, c := range map[string]struct {
		change func(*plan.Plan)
		same   bool
	}{
		"nothing":      {func(*plan.Plan) {}, true},
		"who asks":     {func(p *plan.Plan) { p.Steps[0].Target.RequestedBy = "bob" }, true},
		"the job":      {func(p *plan.Plan) { p.Steps[0].Target.JobID = "j" }, true},
		"the text":     {func(p *plan.Plan) { p.Statement = "CREATE TABLE kafka.t(a int)" }, true},
		"a secret":     {func(p *plan.Plan) { p.Secrets = []plan.Secret{{Value: "x"}} }, true},
		"the target":   {func(p *plan.Plan) { p.Target = "kafka.u" }, false},
		"its identity": {func(p *plan.Plan) { p.TargetUID = "topic" }, false},
		"the shadow":   {func(p *plan.Plan) { p.Home[0].SQL = "create table kafka.t (a text)" }, false},
		"a column":     {func(p *plan.Plan) { p.Steps[0].Target.Table.Columns[0].NotNull = true }, false},
		"the path":     {func(p *plan.Plan) { p.Steps[0].Path = plan.Slow }, false},
		"the catalog":  {func(p *plan.Plan) { p.Steps[0].Catalog.Generation = 2 }, false},
	} {
		p := samplePlan()
		c.change(p)
		if got := fingerprint(t, p); (got == base) != c.same {
			t.Errorf("%s changed: same hash %t, want %t", name, got == base, c.same)
		}
	}
}

func fingerprint(t *testing.T, p *plan.Plan) string {
	t.Helper()
	hash, err := p.Fingerprint()
	if err != nil || len(hash) != 64 {
		t.Fatalf("hash %q, %v", hash, err)
	}
	return hash
}
