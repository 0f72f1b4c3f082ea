package deploy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home/history"
)

const (
	renewInterval   = leaseDuration / 3
	recoverInterval = 5 * time.Second
	recoverBatchMax = 100
	// recoverStepMax bounds the work on one job that was taken over.
	recoverStepMax = time.Minute
	retryQueueMax  = 1024
	retryDelay     = 2 * time.Second
	retryDelayMax  = time.Minute
)

// RunRecovery takes over the jobs whose holder has been silent too long:
// each is finished or undone, as the fate of its home transaction decides. It returns when ctx ends.
func (d *Deployer) RunRecovery(ctx context.Context) error {
	look := time.NewTicker(recoverInterval)
	defer look.Stop()
	d.recoverExpired(ctx)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
			d.recoverExpired(ctx)
		case id := <-d.retry:
			d.retryOne(ctx, id)
		}
	}
}

// foreign tells whether a job's resource is in another control plane.
func (d *Deployer) foreign(job history.Job) bool {
	return job.Path == history.Slow && job.Cluster != d.cluster
}

// RunLeases renews this gateway's leases until ctx ends, whatever recovery is busy with.
func (d *Deployer) RunLeases(ctx context.Context) error {
	renew := time.NewTicker(renewInterval)
	defer renew.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-renew.C:
			if _, err := d.leases.Renew(ctx, d.holder, leaseDuration); err != nil {
				d.log.Warn().Err(err).Msg("leases not renewed")
			}
		}
	}
}

// Adopt finds the jobs that a gateway of the same name left unfinished: it is dead, since the name is that
// of a data folder which one process holds at a time, so its leases need not run out first. It must be
// called before this gateway begins jobs of its own; RunRecovery then works on what was found. A gateway
// with another control plane that is at work in the same home database is an error: neither could see
// what becomes of the other's jobs.
func (d *Deployer) Adopt(ctx context.Context) error {
	jobs, err := d.leases.Unfinished(ctx, retryQueueMax)
	if err != nil {
		return err
	}
	for _, job := range jobs {
		if d.foreign(job) && time.Now().Before(job.LeaseExpires) {
			return fmt.Errorf("the home database has unfinished jobs of control plane %s, this gateway's is %s: "+
				"gateways that share a home database must share the control plane", job.Cluster, d.cluster)
		}
		if job.Holder != d.holder {
			continue
		}
		d.log.Info().Str("job_id", job.JobID.String()).Str("target", job.Target).Msg("going on with an unfinished job")
		d.retry <- job.JobID // has room for as many as were asked for
	}
	return nil
}

// retryLater has an unfinished job of this gateway looked at again, the later the more often it was.
func (d *Deployer) retryLater(id uuid.UUID) {
	d.triesMu.Lock()
	delay := min(retryDelay<<min(d.tries[id], 10), retryDelayMax)
	d.tries[id]++
	d.triesMu.Unlock()
	time.AfterFunc(delay, func() {
		select {
		case d.retry <- id:
		default: // the queue is full: its lease runs out and the job is found then
		}
	})
}

func (d *Deployer) retryOne(ctx context.Context, id uuid.UUID) {
	job, err := d.history.Get(ctx, id)
	if err == nil && !job.State.Final() {
		err = d.takeOver(ctx, job)
	}
	if errors.Is(err, history.ErrNotFound) {
		err = nil // its record was never written
	}
	if err != nil && ctx.Err() == nil {
		d.log.Warn().Err(err).Str("job_id", id.String()).Msg("job not finished, trying again")
		d.retryLater(id)
		return
	}
	d.triesMu.Lock()
	delete(d.tries, id)
	d.triesMu.Unlock()
}

func (d *Deployer) recoverExpired(ctx context.Context) {
	jobs, err := d.leases.Expired(ctx, recoverBatchMax)
	if err != nil {
		if ctx.Err() == nil {
			d.log.Warn().Err(err).Msg("unfinished jobs not read")
		}
		return
	}
	for _, job := range jobs {
		if d.foreign(job) {
			continue
		}
		mine, err := d.leases.TakeLease(ctx, job.JobID, d.holder, leaseDuration)
		if err != nil || !mine {
			continue
		}
		d.log.Info().Str("job_id", job.JobID.String()).Str("target", job.Target).Msg("taking over an unfinished job")
		if err := d.takeOver(ctx, job); err != nil {
			d.log.Warn().Err(err).Str("job_id", job.JobID.String()).Msg("job not finished, trying again")
			d.retryLater(job.JobID)
		}
	}
}

// errStillOpen tells that a job's home transaction has not ended.
var errStillOpen = errors.New("home transaction is still open")

// takeOver finishes or undoes a job. It may be called again at any time: every step of it is idempotent.
func (d *Deployer) takeOver(ctx context.Context, job history.Job) error {
	ctx, cancel := context.WithTimeout(ctx, recoverStepMax)
	defer cancel()
	stored, err := readPlan(job)
	if err != nil {
		return err
	}
	status, err := d.history.XactStatus(ctx, job.HomeXID)
	if err != nil {
		return err
	}
	switch status {
	case history.Committed:
		return d.finishTaken(ctx, job, stored)
	case history.Aborted:
		return d.undoTaken(ctx, job, stored)
	case history.InProgress:
		return errStillOpen
	default:
		// So old that the home server has forgotten it: nobody can tell whether to finish or to undo.
		return d.end(ctx, job.JobID, history.UndoFailed, "",
			sqlerr.New(sqlerr.TransactionRollback, "the home database does not know transaction %s any more", job.HomeXID))
	}
}

// finishTaken goes on with a job whose home transaction committed.
func (d *Deployer) finishTaken(ctx context.Context, job history.Job, stored storedPlan) error {
	if job.Path == history.Slow && stored.Alone {
		return d.resubmit(ctx, job, stored)
	}
	w := &work{Statement: Statement{JobID: job.JobID}}
	var steps []destruction // the others were done before the commit
	for _, step := range stored.Steps {
		if step.Destructive {
			step.Target.JobID = job.JobID.String()
			steps = append(steps, destruction{work: w, step: step})
		}
	}
	if left := d.destroy(ctx, steps); len(left) > 0 {
		d.noteRetrying(ctx, job.JobID, left[0].err)
		return left[0].err
	}
	identity := job.TargetUID
	if job.ExternalID != "" {
		identity = job.ExternalID
	}
	return d.succeed(ctx, job.JobID, stored.Relation, identity)
}

// resubmit makes sure that a slow job has its resource; its end is the recorder's to see.
func (d *Deployer) resubmit(ctx context.Context, job history.Job, stored storedPlan) error {
	if job.Resource.Name != "" {
		return nil
	}
	for _, step := range stored.Steps {
		step.Target.JobID = job.JobID.String()
		step.Target.RequestedBy = job.Submitter
		if step.Action == plan.Create && job.TargetUID != "" {
			step.Target.Identity = job.TargetUID // a fast step that was handed over had begun
		}
		if _, err := d.submit(ctx, job.JobID, step); err != nil {
			return err
		}
	}
	return nil
}

// undoTaken takes back the work of a job whose home transaction was rolled back.
func (d *Deployer) undoTaken(ctx context.Context, job history.Job, stored storedPlan) error {
	for _, step := range slices.Backward(stored.Steps) {
		if step.Destructive {
			continue
		}
		step.Target.JobID = job.JobID.String()
		if err := d.undoStep(ctx, job, step); err != nil {
			return err
		}
	}
	return d.end(ctx, job.JobID, history.Failed, "",
		sqlerr.New(sqlerr.TransactionRollback, "the home transaction was rolled back").WithDetail("What the job had made was undone."))
}

// undoStep takes one step back that may have been taken.
func (d *Deployer) undoStep(ctx context.Context, job history.Job, step plan.Step) error {
	if step.Action == plan.Alter {
		return d.revert(ctx, step)
	}
	if step.Action != plan.Create {
		return nil
	}
	identity := job.TargetUID
	if job.Path == history.Slow && d.jobs != nil {
		resource, found, err := d.jobs.Find(ctx, job.JobID, step)
		if err != nil {
			return err
		}
		if found {
			if _, err := d.cancelAndWait(ctx, job.JobID, resource); err != nil {
				return err
			}
		}
		if fresh, err := d.history.Get(ctx, job.JobID); err == nil && fresh.ExternalID != "" {
			identity = fresh.ExternalID
		}
	}
	return d.takeBack(ctx, step, identity)
}
