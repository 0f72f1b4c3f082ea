package deploy

import (
	"context"
	"errors"
	"slices"

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

// committedAlone does what remains of a statement alone that jobs carry out, in whole or in part: the jobs
// are submitted together and waited for, then comes what needed them done.
func (r *Run) committedAlone(ctx context.Context, n Notifier) ([]plan.Notice, error) {
	var jobs, inline []*work
	for _, w := range r.work {
		if w.isSlow() {
			r.submitWork(ctx, w)
			jobs = append(jobs, w)
		} else {
			inline = append(inline, w)
		}
	}
	if r.req.Settings.WaitFor == Recorded {
		r.leave(inline)
		return nil, nil
	}
	warnings, done, err := r.awaitWorks(ctx, jobs, n)
	if err != nil || !done {
		r.leave(inline)
		return warnings, err
	}
	return append(warnings, r.finishFast(context.WithoutCancel(ctx), inline)...), nil
}

// awaitWorks waits for jobs one after the other. done tells that all have succeeded.
func (r *Run) awaitWorks(ctx context.Context, works []*work, n Notifier) (warnings []plan.Notice, done bool, err error) {
	done = true
	var errs []error
	for _, w := range works {
		warning, succeeded, err := r.awaitWork(ctx, w, n)
		warnings = append(warnings, warning...)
		done = done && succeeded
		if err != nil {
			errs = append(errs, err)
		}
		if ctx.Err() != nil || slices.ContainsFunc(errs, isWaitEnd) {
			break // nobody waits any more
		}
	}
	if len(errs) > 0 {
		return warnings, false, errs[0]
	}
	return warnings, done, nil
}

func isWaitEnd(err error) bool {
	_, ended := errors.AsType[*waitEnded](err)
	return ended
}

// leave has recovery go on with work that cannot be done yet.
func (r *Run) leave(works []*work) {
	for _, w := range works {
		r.d.retryLater(w.JobID)
	}
}
