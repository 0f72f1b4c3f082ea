package deploy

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home/history"
	"github.com/tablewright/tablewright/provision"
)

// errOverrun tells that a fast step was not done by its deadline.
var errOverrun = errors.New("step overran its deadline")

// begunJob is the job of a step, whose record may still be on its way.
type begunJob struct {
	id     uuid.UUID
	record *recording
}

// fastStep takes one step inline, under its deadline. made is told of an object as soon as
// its identity is on record, before it is visible where the system allows that. What a system may show before its
// identity is known waits for the record.
func (d *Deployer) fastStep(ctx context.Context, job begunJob, step plan.Step, made func(identity string)) error {
	prov, done, err := d.provisioner(ctx, step)
	if err != nil {
		return err
	}
	defer done()
	if _, hidden := prov.(provision.MarksFirst); !hidden {
		if err := job.record.wait(ctx); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, deadlineOf(step))
	defer cancel()
	start := time.Now()
	err = d.call(ctx, prov, job, step, made)
	d.metrics.step(step, err, time.Since(start))
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return sqlerr.New(sqlerr.IOError, "catalog \"%s\" did not answer in time", step.Catalog.Name).
			WithCause(errors.Join(errOverrun, err))
	}
	return err
}

// provisioner is that of a step's catalog, opened under the step's deadline.
func (d *Deployer) provisioner(ctx context.Context, step plan.Step) (provision.Provisioner, func(), error) {
	ctx, cancel := context.WithTimeout(ctx, deadlineOf(step))
	defer cancel()
	return d.pool.Get(ctx, step.Catalog)
}

func (d *Deployer) call(ctx context.Context, prov provision.Provisioner, job begunJob, step plan.Step, made func(string)) error {
	call := provision.Call{Mark: func(ctx context.Context, identity string) error {
		if err := job.record.wait(ctx); err != nil {
			return err
		}
		// The identity is on record before the object is visible: a gateway that dies now leaves a
		// record by which the object is known.
		err := d.history.Transition(ctx, job.id, history.Change{State: history.Running, TargetUID: identity, Key: "mark " + identity})
		if err == nil {
			made(identity)
		}
		return err
	}}
	switch step.Action {
	case plan.Create, plan.Ensure:
		_, err := prov.Create(ctx, step.Target, call)
		return err
	case plan.Alter:
		return alterKnown(ctx, prov, step, call)
	case plan.Drop:
		return dropKnown(ctx, prov, step.Target, call)
	case plan.Open:
		return nil
	default:
		return fmt.Errorf("no such action: %s", step.Action)
	}
}

// dropKnown deletes an object that is known by its identity. A table without one was never seen to be
// made: what bears its name may be somebody else's and stays.
func dropKnown(ctx context.Context, prov provision.Provisioner, target plan.Resource, call provision.Call) error {
	if target.Kind == plan.TableKind && target.Identity == "" {
		return nil
	}
	err := prov.Delete(ctx, target, call)
	if e, ok := errors.AsType[*sqlerr.Error](err); ok && target.Identity != "" && e.Code == provision.Conflict.Code() {
		return nil // the one that was meant is gone; what bears its name now is somebody else's
	}
	return err
}

// deadlineOf is how long a step may take inline: its own deadline, its catalog's, or the default.
func deadlineOf(step plan.Step) time.Duration {
	if step.Deadline > 0 {
		return step.Deadline
	}
	if text, ok := step.Catalog.Options.Get("deadline"); ok {
		if d, err := provision.ParseDuration(text); err == nil && d > 0 {
			return d
		}
	}
	return provision.DefaultDeadline
}

// ReasonRetrying is on a job whose committed work is tried again until it is done, or the job is cancelled.
const ReasonRetrying = "Retrying"

// postpone leaves a job to whoever looks for expired leases, this gateway included.
func (d *Deployer) postpone(ctx context.Context, id uuid.UUID, cause error) {
	d.noteRetrying(context.WithoutCancel(ctx), id, cause)
	d.retryLater(id)
}

// noteRetrying records why committed work is not done yet; the same cause is one event.
func (d *Deployer) noteRetrying(ctx context.Context, id uuid.UUID, cause error) {
	e := sqlerr.From(cause)
	err := d.history.Transition(ctx, id, history.Change{
		State: history.Running, Reason: ReasonRetrying, Message: e.Message, Key: "retrying " + e.Code + " " + e.Message,
		Failure: &history.Failure{Code: e.Code, Message: e.Message, Detail: e.Detail},
	})
	if _, ended := errors.AsType[*history.FinalError](err); err != nil && !ended {
		d.log.Error().Err(err).Str("job_id", id.String()).Msg("failure not recorded")
	}
}

// unfinished warns of a committed step that is not done yet.
func unfinished(w *work, step plan.Step, cause error) plan.Notice {
	e := sqlerr.From(cause)
	return plan.Notice{
		Severity: "WARNING", Code: sqlerr.Warning,
		Message: fmt.Sprintf("job %s has not finished %s of %s", w.JobID, w.Plan.Tag, step.Target.Name),
		Detail:  fmt.Sprintf("%s It is repeated until it is done.", sentence(e.Message)),
		Hint:    fmt.Sprintf("SHOW JOB '%s' shows how far it is.", w.JobID),
	}
}

// sentence makes a full sentence of an error message.
func sentence(message string) string {
	if message == "" {
		return ""
	}
	return strings.ToUpper(message[:1]) + message[1:] + "."
}

// succeed records that a job's work is done, and tells the shadow which object it stands for.
func (d *Deployer) succeed(ctx context.Context, job uuid.UUID, relation uint32, identity string) error {
	if relation != 0 {
		if err := d.shadows.Ready(ctx, relation, job, identity); err != nil {
			return err
		}
	}
	return d.end(ctx, job, history.Succeeded, identity, nil)
}
