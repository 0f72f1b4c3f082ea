package deploy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home/history"
)

// leaseDuration is how long a gateway may be silent before another takes its jobs over.
const leaseDuration = 30 * time.Second

// Run is the external work of one home transaction, from its record to its end. Its methods are called
// in order by one goroutine: Forward, then, once the home database has committed, Committed; or
// RolledBack when it has not.
type Run struct {
	d      *Deployer
	req    Request
	work   []*work
	record *recording
}

// work is one statement's part of a run.
type work struct {
	Statement
	resource history.Resource // of the job that carries its slow step, once submitted
	made     []madeStep       // finished creates, in order
	slow     *plan.Step       // the step that it carries
	handed   bool             // a fast step overran its deadline and goes on as a job
	ended    bool             // its job has ended with the home commit
}

// madeStep is an object that was made and can be taken back.
type madeStep struct {
	step     plan.Step
	identity string
}

// Begin records the work, all of it or none, before anything outside is to be seen. An unfinished job that
// does the same already is 55006.
func (d *Deployer) Begin(ctx context.Context, r Request) (*Run, error) {
	r.Statements = inParts(r)
	run := &Run{d: d, req: r, record: onRecord()}
	records := make([]history.Record, 0, len(r.Statements))
	for _, st := range r.Statements {
		record, err := d.record(r, st)
		if err != nil {
			return nil, err
		}
		records = append(records, record)
		run.work = append(run.work, &work{Statement: st})
	}
	if run.isOneCreate() {
		// Forward may begin meanwhile with what is not to be seen before it is on record.
		run.record = &recording{done: make(chan struct{})}
		go func() {
			defer close(run.record.done)
			run.record.err = run.putOnRecord(ctx, records)
		}()
		return run, nil
	}
	if err := run.putOnRecord(ctx, records); err != nil {
		return nil, err
	}
	return run, nil
}

// record is a statement's record as it begins.
func (d *Deployer) record(r Request, st Statement) (history.Record, error) {
	stored, err := json.Marshal(storedPlan{
		Steps: st.Plan.Steps, Relation: st.Relation, Schema: st.Schema, Alone: r.Alone, Restore: restoreOf(st.Plan),
	})
	if err != nil {
		return history.Record{}, fmt.Errorf("record of %s: %w", st.Plan.Target, err)
	}
	path, state := history.Fast, history.Running
	if slow(st.Plan.Steps) {
		path, state = history.Slow, history.Queued
	}
	return history.Record{
		JobID:           st.JobID,
		WorkKey:         history.WorkKey(st.Plan.Tag, st.Plan.Target, st.Plan.TargetUID, st.Plan.Hash),
		HomeXID:         strconv.FormatUint(r.HomeXID, 10),
		Kind:            st.Plan.Tag,
		Target:          st.Plan.Target,
		Targets:         st.Plan.Locks,
		Statement:       st.Plan.Statement,
		StatementHash:   st.Plan.Hash,
		Submitter:       r.Origin.User,
		ApplicationName: r.Origin.ApplicationName,
		ClientAddr:      r.Origin.ClientAddr,
		SessionID:       r.Origin.SessionID,
		Path:            path,
		State:           state,
		Cluster:         d.cluster,
		Plan:            stored,
		ParentJobID:     st.Parent,
		RetryOf:         st.RetryOf,
		Holder:          d.holder,
		Lease:           leaseDuration,
	}, nil
}

func alreadyUnderWay(job history.Job) *sqlerr.Error {
	return sqlerr.New(sqlerr.ObjectInUse, "%s is being changed by job %s", job.Target, job.JobID).
		WithDetail("Role \"%s\" started it at %s.", job.Submitter, job.Created.UTC().Format("2006-01-02 15:04:05+00")).
		WithHint("WAIT FOR JOB '%s' waits for it.", job.JobID)
}

// Forward does what can be undone: fast steps inline, and in a block also the slow ones, whose end it
// waits for. When a step fails everything before it is undone and the error says, an object a line, what
// became of each.
func (r *Run) Forward(ctx context.Context, n Notifier) error {
	ctx, cancel := context.WithTimeout(ctx, r.forwardMax())
	defer cancel()
	for _, w := range r.work {
		for _, step := range w.Plan.Steps {
			if step.Destructive || step.Action == plan.Open || step.Path == plan.Slow && r.req.Alone {
				continue
			}
			err := r.forwardStep(ctx, w, step, n)
			if failed := r.record.ended(); failed != nil {
				return failed // nothing was made: that would be on record
			}
			if err != nil {
				return r.undo(ctx, err)
			}
		}
	}
	return r.record.ended()
}

// forwardMax bounds the steps before the home commit. Slow steps of a block have the client's own limit.
func (r *Run) forwardMax() time.Duration {
	for _, w := range r.work {
		if slow(w.Plan.Steps) {
			return maxDuration
		}
	}
	return fastStepsMax
}

const maxDuration = 1<<63 - 1

func (r *Run) forwardStep(ctx context.Context, w *work, step plan.Step, n Notifier) error {
	step.Target.JobID = w.JobID.String()
	step.Target.RequestedBy = r.req.Origin.User
	if step.Path == plan.Slow {
		return r.slowStep(ctx, w, step, n)
	}
	if step.Action == plan.Alter {
		return r.alterStep(ctx, w, step)
	}
	err := r.d.fastStep(ctx, begunJob{w.JobID, r.record}, step, func(identity string) {
		w.made = append(w.made, madeStep{step, identity})
	})
	if r.record.ended() != nil || !errors.Is(err, errOverrun) || ctx.Err() != nil || r.d.jobs == nil {
		return err
	}
	return r.handOver(ctx, w, step, n)
}

// alterStep changes an object. When the answer is lost it may be changed all the same; the undo looks. One
// that this run has made has its identity since.
func (r *Run) alterStep(ctx context.Context, w *work, step plan.Step) error {
	if step.Target.Identity == "" {
		step.Target.Identity = r.identityOf(step)
	}
	err := r.d.fastStep(ctx, begunJob{w.JobID, r.record}, step, func(string) {})
	if !hasCode(err, sqlerr.SerializationFailure) {
		w.made = append(w.made, madeStep{step, step.Target.Identity})
	}
	return err
}

// identityOf is the object that the run itself has made in the place of a step's.
func (r *Run) identityOf(step plan.Step) string {
	for _, w := range r.work {
		for _, made := range w.made {
			s := made.step
			if s.Action == plan.Create && s.Catalog.Name == step.Catalog.Name && s.Target.Kind == step.Target.Kind && s.Target.Name == step.Target.Name {
				return made.identity
			}
		}
	}
	return ""
}

// handOver makes a job of a fast step that overran its deadline. A statement alone goes on to its home
// commit first; in a block the job's end is waited for.
func (r *Run) handOver(ctx context.Context, w *work, step plan.Step, n Notifier) error {
	w.handed = true
	err := r.d.history.Transition(ctx, w.JobID, history.Change{
		State: history.Queued, Path: history.Slow, Reason: "overran the deadline of the fast path",
	})
	if err != nil || r.req.Alone {
		return err
	}
	step.Path = plan.Slow
	if n := len(w.made); n > 0 {
		step.Target.Identity = w.made[n-1].identity // what the overrun step may have made
	}
	return r.slowStep(ctx, w, step, n)
}

// isSlow tells whether a statement's work is a job of the control plane.
func (w *work) isSlow() bool { return w.handed || slow(w.Plan.Steps) }

// Committed does what remains once the home database has committed: steps that cannot be undone, the
// slow work of a statement alone, and the ends in the history. Warnings name what is not done yet and
// goes on. An error is possible for a statement alone only: its job failed or the wait for it ended.
func (r *Run) Committed(ctx context.Context, n Notifier) (warnings []plan.Notice, err error) {
	if r.req.Alone && slices.ContainsFunc(r.work, (*work).isSlow) {
		return r.committedAlone(ctx, n)
	}
	return r.finishFast(context.WithoutCancel(ctx), r.work), nil
}

// Made tells which object Forward has made for a statement, unless a job is still to make it.
func (r *Run) Made(job uuid.UUID) (identity string, made bool) {
	for _, w := range r.work {
		if w.JobID == job && w.Relation != 0 && len(w.made) > 0 && (!w.handed || !r.req.Alone) {
			return w.made[len(w.made)-1].identity, true
		}
	}
	return "", false
}

// Done tells whether nothing remains of a statement's work once the home database has committed but to end its job.
func (r *Run) Done(job uuid.UUID) bool {
	for _, w := range r.work {
		if w.JobID == job {
			return !w.isSlow() && !slices.ContainsFunc(w.Plan.Steps, func(step plan.Step) bool { return step.Destructive })
		}
	}
	return false
}

// Ended notes that a job has ended with the home commit.
func (r *Run) Ended(job uuid.UUID) {
	for _, w := range r.work {
		if w.JobID == job {
			w.ended = true
		}
	}
}

// Leave leaves the run to recovery, which finds out whether the home transaction committed.
func (r *Run) Leave() {
	for _, w := range r.work {
		r.d.retryLater(w.JobID)
	}
}

// RolledBack undoes the run of a home transaction that did not commit, and returns its cause with what
// became of the objects.
func (r *Run) RolledBack(ctx context.Context, cause error) error { return r.undo(ctx, cause) }

// commitPollInterval is how often a transaction whose end is not known is asked for.
const commitPollInterval = 50 * time.Millisecond

// HomeCommitted finds out whether the home transaction committed when its answer was lost. It waits
// while the home server itself does not know yet, up to undoMax.
func (r *Run) HomeCommitted(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, undoMax)
	defer cancel()
	for {
		status, err := r.d.history.XactStatus(ctx, strconv.FormatUint(r.req.HomeXID, 10))
		switch {
		case err == nil && status == history.Committed:
			return true, nil
		case err == nil && status == history.Aborted:
			return false, nil
		}
		select {
		case <-ctx.Done():
			return false, errors.Join(err, ctx.Err())
		case <-time.After(commitPollInterval):
		}
	}
}

// finishAll ends all jobs of the run in one state.
func (r *Run) finishAll(ctx context.Context, state history.State, cause error) error {
	var errs []error
	for _, w := range r.work {
		errs = append(errs, r.d.end(ctx, w.JobID, state, "", cause))
	}
	return errors.Join(errs...)
}

// end records a job's end.
func (d *Deployer) end(ctx context.Context, id uuid.UUID, state history.State, identity string, cause error) error {
	change := history.Change{State: state, TargetUID: identity}
	if state == history.Succeeded {
		change.Failure = &history.Failure{} // that of an earlier try
	}
	if cause != nil {
		e := sqlerr.From(cause)
		change.Failure = &history.Failure{Code: e.Code, Message: e.Message, Detail: e.Detail}
	}
	err := d.history.Transition(ctx, id, change)
	if _, ended := errors.AsType[*history.FinalError](err); ended {
		return nil // another gateway has ended it; a final state stays
	}
	return err
}
