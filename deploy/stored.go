package deploy

import (
	"encoding/json"
	"fmt"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/home/history"
)

// storedPlan is what a job's record keeps of its plan, for whoever takes the job over. It holds
// references to secrets, never their values.
type storedPlan struct {
	Steps    []plan.Step `json:"steps"`
	Relation uint32      `json:"relation,omitempty"`
	Alone    bool        `json:"alone,omitempty"`
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
