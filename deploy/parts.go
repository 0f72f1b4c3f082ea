package deploy

import (
	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/plan"
)

// inParts makes a statement of several objects, of which jobs carry some, into a statement an object: each
// has a record of its own, under that of the first.
func inParts(r Request) []Statement {
	if !r.Alone || len(r.Statements) != 1 {
		return r.Statements
	}
	st := r.Statements[0]
	if len(st.Plan.Steps) < 2 || !slow(st.Plan.Steps) {
		return r.Statements
	}
	var parts []Statement
	for i, step := range st.Plan.Steps {
		part := Statement{Plan: partOf(st.Plan, step), JobID: st.JobID, RetryOf: st.RetryOf}
		if i > 0 {
			part.JobID, part.Parent = uuid.Must(uuid.NewV7()), st.JobID
		}
		parts = append(parts, part)
	}
	return parts
}

// partOf is the plan of one step of a statement.
func partOf(p *plan.Plan, step plan.Step) *plan.Plan {
	part := *p
	step.DependsOn = nil
	part.Steps, part.Target, part.TargetUID = []plan.Step{step}, step.Target.Name.String(), "absent"
	if step.Target.Identity != "" {
		part.TargetUID = step.Target.Identity
	}
	part.Locks, part.Hash = []string{part.Target}, p.Hash+" "+step.ID
	return &part
}
