package controller

import (
	"errors"
	"regexp"
	"slices"
	"time"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/provision"
)

// Causes of the end of a call's context.
var (
	errStopped   = errors.New("the job was cancelled")
	errSuspended = errors.New("the job was suspended")
	errDeadline  = errors.New("the job's deadline has passed")
	errLost      = errors.New("the job is held by another instance")
	errGone      = errors.New("the job was deleted")
)

const (
	backoffMin = time.Second
	backoffMax = time.Minute
)

// backoff is the pause after the n-th failed try, counted from 1.
func backoff(n int) time.Duration {
	pause := backoffMin
	for ; n > 1 && pause < backoffMax; n-- {
		pause *= 2
	}
	return min(pause, backoffMax)
}

// repeatable tells whether a failed attempt is repeated. A drop cannot be taken back, so it goes on while
// somebody may still clear its way: drop what depends on the object, or grant a right.
func repeatable(step plan.Step, err error) bool {
	if step.Action == plan.Drop && hasCode(err, sqlerr.DependentObjectsStillExist, sqlerr.InsufficientPrivilege) {
		return true
	}
	return provision.Retryable(err)
}

var sqlState = regexp.MustCompile(`^[0-9A-Z]{5}$`)

// jobError is an error as a status shows it. One without a SQLSTATE of its own is internal: its text may
// hold anything and stays in the log.
func jobError(err error) v1alpha1.JobError {
	e := sqlerr.From(err)
	shown := v1alpha1.JobError{
		Code:      e.Code,
		Message:   clamp(e.Message, messageLengthMax),
		Detail:    clamp(e.Detail, detailLengthMax),
		Hint:      clamp(e.Hint, hintLengthMax),
		Retryable: provision.Retryable(err),
	}
	if !sqlState.MatchString(shown.Code) {
		shown.Code = sqlerr.InternalError
	}
	return shown
}

// hasCode tells whether an error has one of the SQLSTATEs.
func hasCode(err error, codes ...string) bool {
	var e *sqlerr.Error
	return errors.As(err, &e) && slices.Contains(codes, e.Code)
}

// ending is how a job ends that does not succeed. It is kept in the status (see writeTo), so that the end
// is the same when another instance takes over during an undo.
type ending struct {
	reason string // of condition Provisioned
	err    v1alpha1.JobError
}

func (e ending) phase() v1alpha1.Phase {
	if e.reason == v1alpha1.ReasonCancelled {
		return v1alpha1.PhaseCancelled
	}
	return v1alpha1.PhaseFailed
}

// stopEnding is the ending of a job that was told to stop. One that was deleted while it was needed has
// failed; one that was cancelled ends as asked.
func stopEnding(job *v1alpha1.TableProvisionJob) ending {
	if job.Spec.Cancel {
		return ending{
			reason: v1alpha1.ReasonCancelled,
			err:    v1alpha1.JobError{Code: sqlerr.QueryCanceled, Message: "job was cancelled"},
		}
	}
	return ending{
		reason: v1alpha1.ReasonFailed,
		err:    v1alpha1.JobError{Code: sqlerr.QueryCanceled, Message: "job was deleted before it had ended"},
	}
}

func deadlineEnding(job *v1alpha1.TableProvisionJob, last error) ending {
	e := provision.Error(provision.Unavailable, "job did not end within its deadline of %s", job.Spec.Deadline.Duration)
	if last != nil {
		e = e.WithDetail("The last error was: %s", sqlerr.From(last).Message)
	} else if job.Status.Error != nil {
		e = e.WithDetail("The last error was: %s", job.Status.Error.Message)
	}
	return ending{reason: v1alpha1.ReasonDeadlineExceeded, err: jobError(e)}
}

// stopRequested tells whether somebody asked for the job's end.
func stopRequested(job *v1alpha1.TableProvisionJob) bool {
	return job.Spec.Cancel || !job.DeletionTimestamp.IsZero()
}
