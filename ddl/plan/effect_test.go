package plan_test

import (
	"testing"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
)

// TestEffectOf: unchanged only where nothing is left to do, at home and outside.
func TestEffectOf(t *testing.T) {
	t.Parallel()
	upToDate := &plan.Observed{Exists: true, UpToDate: true}
	alter := func(p *plan.Plan) {
		p.Steps[0].Action, p.TargetUID, p.Relation = plan.Alter, "uid", 7
		before := p.Steps[0].Target.Table
		p.Steps[0].Before = &before
	}
	for name, c := range map[string]struct {
		change func(*plan.Plan)
		seen   *plan.Observed
		want   plan.Effect
	}{
		"create":              {func(*plan.Plan) {}, &plan.Observed{}, plan.Creates},
		"create, untold":      {func(*plan.Plan) {}, &plan.Observed{Error: "x"}, plan.Creates},
		"same":                {alter, upToDate, plan.Unchanged},
		"same at home":        {alter, &plan.Observed{Exists: true}, plan.Changes},
		"same, untold":        {alter, &plan.Observed{Error: "x", Exists: true, UpToDate: true}, plan.Changes},
		"same, gone":          {alter, &plan.Observed{UpToDate: true}, plan.Changes},
		"same, not looked at": {alter, nil, plan.Changes},
		"rename": {func(p *plan.Plan) {
			alter(p)
			p.Steps[0].Target.NewPath = []string{"u"}
		}, upToDate, plan.Changes},
		"column": {func(p *plan.Plan) {
			alter(p)
			p.Steps[0].Target.Table.Comment = "new"
		}, upToDate, plan.Changes},
		"options only": {func(p *plan.Plan) {
			alter(p)
			p.Shadow = &plan.ShadowChange{Options: &catalog.Options{}}
		}, upToDate, plan.Changes},
		"if not exists": {func(p *plan.Plan) { p.Steps, p.Waits = nil, true }, nil, plan.Unchanged},
		"exists":        {func(p *plan.Plan) { p.Steps = nil }, nil, plan.Changes},
		"owner": {func(p *plan.Plan) {
			p.Steps, p.Tag, p.Relation = nil, "ALTER TABLE", 7
		}, nil, plan.Changes},
		"comment again": {func(p *plan.Plan) {
			p.Steps, p.Tag, p.Relation = nil, "COMMENT", 7
		}, nil, plan.Unchanged},
		"drop":              {func(p *plan.Plan) { p.Tag, p.Steps[0].Action = "DROP TABLE", plan.Drop }, upToDate, plan.Drops},
		"drop catalog":      {func(p *plan.Plan) { p.Tag, p.Steps, p.Record, p.Waits = "DROP CATALOG", nil, true, true }, nil, plan.Drops},
		"drop if it exists": {func(p *plan.Plan) { p.Tag, p.Steps, p.Waits = "DROP TABLE", nil, true }, nil, plan.Unchanged},
	} {
		p := samplePlan()
		c.change(p)
		extra := plan.Extra{Steps: map[string]plan.StepExtra{"create table kafka.t": {Observed: c.seen}}}
		if got := plan.EffectOf(p, extra); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestHashWithoutPlaceOfSecret: the same statement has the same hash although its secret has a new place each time.
func TestHashWithoutPlaceOfSecret(t *testing.T) {
	t.Parallel()
	hash := func(place string) string {
		p := samplePlan()
		p.Secrets = []plan.Secret{{Ref: catalog.SecretKeyRef{Name: place, Key: "password"}, Value: "x"}}
		p.Home[0].SQL = "CREATE SERVER s OPTIONS (password 'secret:" + place + "/password')"
		return fingerprint(t, p)
	}
	if hash("catalog-s-1") != hash("catalog-s-2") {
		t.Error("another place is another hash")
	}
}
