package deploy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home/history"
	"github.com/tablewright/tablewright/provision"
)

// undo takes back, in reverse, what the run has made, records the ends and returns the cause with a line
// an object in its detail. It does not end with the statement's context: that may be the cause.
func (r *Run) undo(statement context.Context, cause error) error {
	ctx := context.WithoutCancel(statement)
	e := sqlerr.From(cause)
	if reason, coded := errors.AsType[*sqlerr.Error](context.Cause(statement)); coded {
		e = reason // cancelled, whatever the step that was under way calls it
	}
	lines := make([]string, len(r.work))
	for i := len(r.work) - 1; i >= 0; i-- {
		w := r.work[i]
		state, fate := history.Failed, "not made"
		if err := r.d.undoPatiently(ctx, w); err != nil {
			state, fate = history.UndoFailed, "could not be undone: "+sqlerr.From(err).Message
			r.d.log.Error().Err(err).Str("job_id", w.JobID.String()).Msg("undo failed")
		} else if len(w.made) > 0 || w.resource.Name != "" {
			fate = "undone"
		}
		if err := r.d.end(ctx, w.JobID, state, "", cause); err != nil {
			r.d.log.Error().Err(err).Str("job_id", w.JobID.String()).Msg("end of the job not recorded")
			r.d.retryLater(w.JobID)
		}
		lines[i] = fmt.Sprintf("%s %s: %s (job %s).", w.Plan.Tag, w.Plan.Target, fate, w.JobID)
	}
	if e.Detail != "" {
		lines = append([]string{e.Detail}, lines...)
	}
	return e.WithDetail("%s", strings.Join(lines, "\n"))
}

const (
	// undoPatience is how long an undo goes on trying when a system is out of reach: as long as a server takes
	// to start again. Locks are held at home meanwhile.
	undoPatience = 5 * time.Second
	undoPause    = 250 * time.Millisecond
)

// undoPatiently repeats an undo that failed because a system did not answer.
func (d *Deployer) undoPatiently(ctx context.Context, w *work) error {
	ctx, cancel := context.WithTimeout(ctx, undoMax) // one system that hangs leaves the others their time
	defer cancel()
	for last := time.Now().Add(undoPatience); ; {
		err := d.undoWork(ctx, w)
		if err == nil || !provision.Retryable(err) || time.Now().After(last) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(undoPause):
		}
	}
}

// undoWork takes back what one statement has made, and as much of it as it can. What is taken back already
// is nothing to do.
func (d *Deployer) undoWork(ctx context.Context, w *work) error {
	if w.resource.Name != "" {
		job, err := d.cancelAndWait(ctx, w.JobID, w.resource)
		if err != nil {
			return err
		}
		if job.Reason == ReasonProvisioned && w.slow != nil {
			// It was done before the cancel came.
			if err := d.takeBack(ctx, *w.slow, job.ExternalID); err != nil {
				return err
			}
		}
	}
	var errs []error
	for _, made := range slices.Backward(w.made) {
		if made.step.Action == plan.Alter {
			errs = append(errs, d.revert(ctx, made.step))
		} else {
			errs = append(errs, d.takeBack(ctx, made.step, made.identity))
		}
	}
	return errors.Join(errs...)
}

// takeBack deletes an object that a job made, if it is still that object: by the identity on record, or
// by the job's mark on the object. Another one, or none, is not ours.
func (d *Deployer) takeBack(ctx context.Context, made plan.Step, identity string) error {
	inverse := made
	inverse.Action = plan.Drop
	prov, done, err := d.pool.Get(ctx, inverse.Catalog)
	if err != nil {
		return err
	}
	defer done()
	if identity == "" {
		seen, err := prov.Observe(ctx, inverse.Target)
		if err != nil || !seen.Exists || seen.JobID == "" || seen.JobID != made.Target.JobID {
			return err
		}
		identity = seen.Identity
	}
	// With an identity Delete also waits for a maker whose commit is still under way, and removes what
	// a maker has left that was never published.
	inverse.Target.Identity = identity
	err = prov.Delete(ctx, inverse.Target, provision.Call{})
	if e, ok := errors.AsType[*sqlerr.Error](err); ok && e.Code == provision.Conflict.Code() {
		return nil // another object of that name
	}
	return err
}
