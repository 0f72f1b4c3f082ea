package deploy

import (
	"context"
	"errors"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home/history"
)

// Settle looks for jobs that are still at work on objects, by their full names: what a committed statement
// has begun outside may not be done yet, although its locks at home are gone. It waits for their ends, or
// answers 55006 with the first one that it finds.
func (d *Deployer) Settle(ctx context.Context, names []string, wait bool, settings Settings, n Notifier) error {
	for {
		job, err := d.history.UnfinishedOn(ctx, names)
		switch {
		case errors.Is(err, history.ErrNotFound):
			return nil
		case err != nil:
			return sqlerr.Wrap(err, sqlerr.IOError, "could not read the history")
		case !wait:
			return alreadyUnderWay(job)
		}
		// How it ends is no matter: the statement looks at what is there then.
		if _, err := d.waitForEnd(ctx, job, settings, n); err != nil {
			return err
		}
	}
}
