package deploy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home/history"
)

const (
	// heartbeatInterval is how often a silent wait says that it is alive, for proxies that drop idle
	// connections.
	heartbeatInterval = 30 * time.Second
	// progressNoticesMax bounds the progress notices of one statement.
	progressNoticesMax = 200
)

// waiting is one client's wait for one job.
type waiting struct {
	work     *work
	settings Settings
	notifier Notifier
	over     func(history.Job) bool
	// alone tells that the job goes on when the wait ends; in a block its run undoes it.
	alone bool
}

// waitEnded is the end of a wait whose job goes on.
type waitEnded struct {
	err     *sqlerr.Error
	warning *plan.Notice // in place of the error, when the session wishes so
}

func (e *waitEnded) Error() string { return e.err.Message }
func (e *waitEnded) Unwrap() error { return e.err }

// wait waits until the job is over in the sense of w and tells the client how it goes.
func (d *Deployer) wait(ctx context.Context, w waiting) (history.Job, error) {
	changed, stop := d.changes.Subscribe(w.work.JobID)
	defer stop()
	t := newTeller(w)
	defer t.stop()
	limit, limited := w.limit()
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	for {
		job, err := d.history.Get(ctx, w.work.JobID)
		switch {
		case err == nil && w.over(job):
			return job, nil
		case err == nil:
			t.see(ctx, job)
		case ctx.Err() == nil:
			// The job goes on whether or not its history can be read; it is read again soon.
			d.log.Warn().Err(err).Str("job_id", w.work.JobID.String()).Msg("history not read")
			t.interval.Reset(retryDelay)
		}
		select {
		case <-changed:
		case <-t.first.C:
			t.start(ctx, job)
		case <-t.interval.C:
			t.repeat(ctx, job)
		case <-t.heartbeat.C:
			t.beat(ctx, job)
		case <-timeout.C:
			return d.timedOut(ctx, w, limited)
		case <-ctx.Done():
			return d.interrupted(ctx, w)
		}
	}
}

// limit is how long the wait may take, and whether it is statement_timeout that limits it.
func (w waiting) limit() (time.Duration, bool) {
	limit, byStatement := w.settings.WaitTimeout, false
	if limit == 0 {
		limit = maxDuration
	}
	if t := w.settings.StatementTimeout; t > 0 && t < limit {
		limit, byStatement = t, true
	}
	return limit, byStatement
}

// timedOut ends a wait that took too long.
func (d *Deployer) timedOut(ctx context.Context, w waiting, byStatement bool) (history.Job, error) {
	if byStatement {
		return d.cancelled(ctx, w, sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to statement timeout"))
	}
	e := sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to tablewright.wait_timeout")
	if !w.alone {
		return history.Job{}, e
	}
	e = e.WithDetail("Job %s is still running.", w.work.JobID).WithHint("%s", followHint(w.work.JobID))
	ended := &waitEnded{err: e}
	if w.settings.NoticeOnTimeout {
		ended.warning = &plan.Notice{
			Severity: "WARNING", Code: sqlerr.Warning,
			Message: fmt.Sprintf("job %s is still running", w.work.JobID), Hint: followHint(w.work.JobID),
		}
	}
	return history.Job{}, ended
}

// interrupted ends a wait whose statement was cancelled, whose client is gone or whose gateway stops.
func (d *Deployer) interrupted(ctx context.Context, w waiting) (history.Job, error) {
	cause := context.Cause(ctx)
	e, coded := errors.AsType[*sqlerr.Error](cause)
	switch {
	case coded && e.Code == sqlerr.QueryCanceled:
		return d.cancelled(ctx, w, e)
	case coded:
		return history.Job{}, e // the gateway stops; the job goes on
	case w.alone && w.settings.CancelOnDisconnect:
		if err := d.jobs.Cancel(context.WithoutCancel(ctx), w.work.resource); err != nil {
			d.log.Warn().Err(err).Str("job_id", w.work.JobID.String()).Msg("job of a lost client not cancelled")
		}
	}
	return history.Job{}, cause
}

// cancelled ends the wait of a cancelled statement: detached at once, or with the job's confirmed end.
func (d *Deployer) cancelled(ctx context.Context, w waiting, e *sqlerr.Error) (history.Job, error) {
	if !w.alone {
		return history.Job{}, e // the run undoes everything
	}
	if w.settings.DetachOnCancel || w.work.resource.Name == "" {
		return history.Job{}, e.WithDetail("Job %s goes on.", w.work.JobID).WithHint("%s", followHint(w.work.JobID))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelMax)
	defer cancel()
	if _, err := d.cancelAndWait(ctx, w.work.JobID, w.work.resource); err != nil {
		return history.Job{}, e.WithDetail("Job %s is being cancelled.", w.work.JobID).WithHint("%s", followHint(w.work.JobID))
	}
	job, err := d.history.Get(ctx, w.work.JobID)
	if err != nil || job.State == history.Succeeded {
		return job, err // too late: it is done
	}
	return history.Job{}, e.WithDetail("Job %s ended as %s.", w.work.JobID, job.State)
}

func followHint(id uuid.UUID) string {
	return fmt.Sprintf("SHOW JOB '%s', WAIT FOR JOB '%s' and CANCEL JOB '%s' follow it.", id, id, id)
}
