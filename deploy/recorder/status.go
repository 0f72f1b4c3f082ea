package recorder

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/deploy"
	"github.com/tablewright/tablewright/home/history"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

// stateOf is the state of the history that a phase that is not final stands for.
func stateOf(p v1alpha1.Phase) history.State {
	switch p {
	case v1alpha1.PhaseRunning:
		return history.Running
	case v1alpha1.PhaseUndoing:
		return history.Undoing
	case v1alpha1.PhaseCancelling:
		return history.Cancelling
	default:
		return history.Pending
	}
}

// outcomeOf is the end that a final status stands for.
func outcomeOf(object *v1alpha1.TableProvisionJob) deploy.Outcome {
	var o deploy.Outcome
	switch object.Status.Phase {
	case v1alpha1.PhaseSucceeded:
		o.State = history.Succeeded
		o.Identity = output(object, "identity")
		return o
	case v1alpha1.PhaseCancelled:
		o.State = history.Cancelled
		o.Failure = sqlerr.New(sqlerr.QueryCanceled, "job was cancelled")
	default:
		o.State = history.Failed
		o.Failure = sqlerr.New(sqlerr.IOError, "job failed")
	}
	if e := object.Status.Error; e != nil {
		o.Failure = &sqlerr.Error{Code: e.Code, Message: e.Message, Detail: e.Detail, Hint: e.Hint}
	}
	if c := meta.FindStatusCondition(object.Status.Conditions, v1alpha1.ConditionUndone); c != nil && c.Status == "False" {
		o.State = history.UndoFailed
	}
	return o
}

// failureOf is why the last attempt of a job that goes on has failed, nil when none has.
func failureOf(object *v1alpha1.TableProvisionJob) *history.Failure {
	e := object.Status.Error
	if e == nil {
		return nil
	}
	return &history.Failure{Code: e.Code, Message: e.Message, Detail: e.Detail}
}

func output(object *v1alpha1.TableProvisionJob, name string) string {
	for _, o := range object.Status.Outputs {
		if o.Name == name {
			return o.Value
		}
	}
	return ""
}

// progressOf is how far the resource says it is, with the name of the step that it is at.
func progressOf(object *v1alpha1.TableProvisionJob) history.Progress {
	var p history.Progress
	if s := object.Status.Progress; s != nil {
		p.Done, p.Total = int(s.Done), int(s.Total)
	}
	for _, step := range object.Status.Steps {
		if step.Phase == v1alpha1.StepRunning {
			p.Text = step.Name
		}
	}
	return p
}

// reasonOf is the reason of the condition that tells most.
func reasonOf(object *v1alpha1.TableProvisionJob) string {
	for _, typ := range []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionReady} {
		if c := meta.FindStatusCondition(object.Status.Conditions, typ); c != nil && c.Status == "False" {
			return strings.TrimSpace(c.Reason)
		}
	}
	return ""
}
