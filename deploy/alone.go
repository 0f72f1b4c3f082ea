package deploy

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home/history"
)

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
		r.leave(context.WithoutCancel(ctx), inline)
		return nil, nil
	}
	warnings, done, err := r.awaitWorks(ctx, jobs, n)
	switch {
	case err != nil && r.givesUp(err):
		r.cancelRest(context.WithoutCancel(ctx), jobs, inline)
	case err != nil || !done:
		r.leave(context.WithoutCancel(ctx), inline)
	default:
		warnings = append(warnings, r.finishFast(context.WithoutCancel(ctx), inline)...)
	}
	return warnings, err
}

// awaitWorks waits for jobs one after the other, all within the limits of one statement. done tells that all
// have succeeded; the error is that of the first that has failed, or of the wait, which then is over.
func (r *Run) awaitWorks(ctx context.Context, works []*work, n Notifier) (warnings []plan.Notice, done bool, err error) {
	began := time.Now()
	done = true
	for _, w := range works {
		warning, end, workErr := r.awaitWork(ctx, w, r.req.Settings.after(time.Since(began)), n)
		warnings = append(warnings, warning...)
		done = done && end == workSucceeded
		if workErr != nil && (err == nil || end == waitOver) {
			err = workErr
		}
		if end == waitOver {
			break
		}
	}
	return warnings, done, err
}

// after are the settings when a part of the statement's time has passed.
func (s Settings) after(passed time.Duration) Settings {
	for _, limit := range []*time.Duration{&s.WaitTimeout, &s.StatementTimeout} {
		if *limit > 0 {
			*limit = max(*limit-passed, time.Nanosecond) // 0 would be no limit
		}
	}
	return s
}

// givesUp tells whether the end of the wait is to be that of the jobs, too.
func (r *Run) givesUp(err error) bool {
	_, waits := errors.AsType[*waitEnded](err)
	e, coded := errors.AsType[*sqlerr.Error](err)
	switch {
	case waits:
		return false // wait_timeout: they go on
	case coded:
		return e.Code == sqlerr.QueryCanceled && !r.req.Settings.DetachOnCancel
	default:
		return r.req.Settings.CancelOnDisconnect
	}
}

// cancelRest cancels what is left of a statement that was cancelled: its jobs, and the work that waited for
// them. The one that was waited for has ended.
func (r *Run) cancelRest(ctx context.Context, jobs, inline []*work) {
	ctx, cancel := context.WithTimeout(ctx, cancelMax)
	defer cancel()
	for _, w := range slices.Concat(jobs, inline) {
		if w.resource.Name != "" {
			if err := r.d.jobs.Cancel(ctx, w.resource); err != nil {
				r.d.log.Warn().Err(err).Str("job_id", w.JobID.String()).Msg("job of a cancelled statement not cancelled")
			}
			continue
		}
		// Nobody has been given it yet.
		if err := r.d.end(ctx, w.JobID, history.Cancelled, "", sqlerr.New(sqlerr.QueryCanceled, "job was cancelled")); err != nil {
			r.d.log.Error().Err(err).Str("job_id", w.JobID.String()).Msg("end of the job not recorded")
			r.d.retryLater(w.JobID)
		}
	}
}

// leave has recovery go on with work that cannot be done before jobs have ended.
func (r *Run) leave(ctx context.Context, works []*work) {
	for _, w := range works {
		r.d.postpone(ctx, w.JobID, sqlerr.New(sqlerr.DependentObjectsStillExist, "it waits for other jobs of its statement"))
	}
}

// submitWork submits the slow work of a statement alone, whose home transaction has committed.
func (r *Run) submitWork(ctx context.Context, w *work) {
	for _, step := range w.Plan.Steps {
		step.Target.JobID = w.JobID.String()
		step.Target.RequestedBy = r.req.Origin.User
		if n := len(w.made); n > 0 && step.Action == plan.Create {
			step.Target.Identity = w.made[n-1].identity // what the overrun step may have made
		}
		submitCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), submitMax)
		resource, err := r.d.submit(submitCtx, w.JobID, step)
		cancel()
		if err != nil {
			// On record and committed: it is submitted as soon as the control plane answers.
			r.d.log.Warn().Err(err).Str("job_id", w.JobID.String()).Msg("job not submitted, trying again")
			r.d.retryLater(w.JobID)
		}
		w.resource = resource
	}
}

// workEnd is how far the wait for one job has come.
type workEnd int

const (
	workSucceeded workEnd = iota
	workGoesOn            // as far as was asked for, or stuck
	workFailed
	waitOver // nobody waits any more, for this job or others
)

// awaitWork waits for as much of a job as the session wishes.
func (r *Run) awaitWork(ctx context.Context, w *work, settings Settings, n Notifier) ([]plan.Notice, workEnd, error) {
	over := func(job history.Job) bool { return job.State.Final() || w.isStuck(job) }
	if settings.WaitFor == Accepted {
		over = func(job history.Job) bool { return job.State.Final() || job.State == history.Running }
	}
	job, err := r.d.wait(ctx, waiting{work: w, settings: settings, notifier: n, over: over, alone: true})
	if e, ok := errors.AsType[*waitEnded](err); ok && e.warning != nil {
		return []plan.Notice{*e.warning}, waitOver, nil
	}
	switch {
	case err != nil:
		return nil, waitOver, err
	case job.State == history.Succeeded:
		return nil, workSucceeded, nil
	case !job.State.Final() && !w.isStuck(job):
		return nil, workGoesOn, nil // accepted, which is all that was asked for
	case w.destructive():
		return []plan.Notice{stuckWarning(w, job)}, workGoesOn, nil
	default:
		return nil, workFailed, failureOf(job)
	}
}
