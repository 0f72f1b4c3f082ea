package deploy

import (
	"context"
	"errors"
	"time"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home/history"
)

// recording is the record of a run on its way.
type recording struct {
	done chan struct{}
	err  error // read after done
}

// wait waits until the work is on record, and tells why it is not.
func (r *recording) wait(ctx context.Context) error {
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ended waits for the end of it, which recordMax bounds.
func (r *recording) ended() error {
	<-r.done
	return r.err
}

// onRecord is the recording of what is on record.
func onRecord() *recording {
	r := &recording{done: make(chan struct{})}
	close(r.done)
	return r
}

// isOneCreate tells whether all of the work is to make one object inline.
func (r *Run) isOneCreate() bool {
	if len(r.work) != 1 || len(r.work[0].Plan.Steps) != 1 {
		return false
	}
	step := r.work[0].Plan.Steps[0]
	return step.Action == plan.Create && step.Path == plan.Fast
}

// recordMax bounds the writing of records.
const recordMax = 30 * time.Second

// putOnRecord writes the records. It does not end with the statement: what was cut off may be on record all the same.
func (r *Run) putOnRecord(ctx context.Context, records []history.Record) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordMax)
	defer cancel()
	jobs, joined, err := r.d.history.BeginAll(ctx, records)
	if err != nil {
		r.Leave() // for those whose answer was lost
		return sqlerr.Wrap(err, sqlerr.IOError, "could not record the job")
	}
	for i, other := range joined {
		if other {
			err := alreadyUnderWay(jobs[i])
			return errors.Join(err, r.finishAll(ctx, history.Failed, err))
		}
	}
	return nil
}
