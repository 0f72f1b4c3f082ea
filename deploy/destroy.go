package deploy

import (
	"context"
	"errors"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// destruction is one step that cannot be undone, of a committed statement.
type destruction struct {
	work *work
	step plan.Step
	err  error // of its last try
}

// finishFast takes the destructive steps of committed statements and records their ends. What is not done
// in time stays on record and is repeated until it is: the warnings say so, one a statement.
func (r *Run) finishFast(ctx context.Context, works []*work) []plan.Notice {
	d := r.d
	ctx, cancel := context.WithTimeout(ctx, fastStepsMax)
	defer cancel()
	var steps []destruction
	for _, w := range works {
		for _, step := range w.Plan.Steps {
			if !step.Destructive {
				continue
			}
			if step.Target.Identity == "" {
				step.Target.Identity = r.identityOf(step)
			}
			steps = append(steps, destruction{work: w, step: step})
		}
	}
	left := d.destroy(ctx, steps)
	var warnings []plan.Notice
	for _, w := range works {
		if failed := firstOf(left, w); failed != nil {
			d.log.Warn().Err(failed.err).Str("job_id", w.JobID.String()).Str("step_id", failed.step.ID).Msg("step will be repeated")
			d.postpone(ctx, w.JobID, failed.err)
			warnings = append(warnings, unfinished(w, failed.step, failed.err))
			continue
		}
		r.finished(ctx, w)
	}
	return warnings
}

// destroy takes steps, and those that others still depended on again while that helps: the objects of a
// transaction may depend on each other in any order. It returns the steps that failed.
func (d *Deployer) destroy(ctx context.Context, steps []destruction) []destruction {
	var failed, kept []destruction
	for len(steps) > 0 {
		kept = kept[:0:0]
		for _, s := range steps {
			s.err = d.fastStep(ctx, begunJob{s.work.JobID, onRecord()}, s.step, func(string) {})
			switch {
			case s.err == nil:
			case hasCode(s.err, sqlerr.DependentObjectsStillExist):
				kept = append(kept, s)
			default:
				failed = append(failed, s)
			}
		}
		if len(kept) == len(steps) {
			break
		}
		steps = kept
	}
	return append(failed, kept...)
}

func firstOf(steps []destruction, w *work) *destruction {
	for i := range steps {
		if steps[i].work == w {
			return &steps[i]
		}
	}
	return nil
}

// finished records the end of a statement's work.
func (r *Run) finished(ctx context.Context, w *work) {
	if w.ended {
		return
	}
	d, relation := r.d, w.Relation
	var identity string
	if len(w.made) > 0 {
		identity = w.made[len(w.made)-1].identity
	}
	if _, made := r.Made(w.JobID); made {
		relation = 0 // its shadow was ready when the transaction committed
	}
	if err := d.succeed(ctx, w.JobID, relation, identity); err != nil {
		// The work is done; recovery brings the record up to date.
		d.log.Error().Err(err).Str("job_id", w.JobID.String()).Msg("end of the job not recorded")
		d.retryLater(w.JobID)
	}
}

// hasCode tells whether an error has a SQLSTATE.
func hasCode(err error, code string) bool {
	e, ok := errors.AsType[*sqlerr.Error](err)
	return ok && e.Code == code
}
