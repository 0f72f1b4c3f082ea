package deploy

import (
	"encoding/json"
	"fmt"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/home/history"
)

// storedPlan is what a job's record keeps of its plan, for whoever takes the job over. It holds
// references to secrets, never their values.
type storedPlan struct {
	Steps    []plan.Step `json:"steps"`
	Relation uint32      `json:"relation,omitempty"`
	Schema   uint32      `json:"schema,omitempty"`
	Alone    bool        `json:"alone,omitempty"`
	Restore  *restore    `json:"restore,omitempty"`
}

// restore is how a shadow is taken back to what it was, when a job fails after the home commit.
type restore struct {
	Statements []string              `json:"statements,omitempty"`
	Path       []string              `json:"path,omitempty"`
	Options    *catalog.Options      `json:"options,omitempty"`
	Keys       *[]catalog.Constraint `json:"keys,omitempty"`
}

// restoreOf is nil for a plan that changes no shadow.
func restoreOf(p *plan.Plan) *restore {
	if p.Shadow == nil || len(p.Steps) == 0 {
		return nil
	}
	r := &restore{Statements: p.Restore, Path: p.RestorePath}
	if before := p.Steps[0].Before; before != nil {
		if p.Shadow.Options != nil {
			r.Options = &before.Options
		}
		if p.Shadow.ForeignKeys != nil {
			keys := before.ForeignKeys()
			r.Keys = &keys
		}
	}
	return r
}

func readPlan(job history.Job) (storedPlan, error) {
	var p storedPlan
	if err := json.Unmarshal(job.Plan, &p); err != nil {
		return p, fmt.Errorf("plan of job %s: %w", job.JobID, err)
	}
	return p, nil
}

// slow tells whether a step of the plan is a job of the control plane.
func slow(steps []plan.Step) bool {
	for _, s := range steps {
		if s.Path == plan.Slow {
			return true
		}
	}
	return false
}
