package controller

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

// statusWriter changes one status at one moment. Its methods are pure but for the status.
type statusWriter struct {
	status     *v1alpha1.TableProvisionJobStatus
	generation int64
	now        metav1.Time
}

func newStatusWriter(job *v1alpha1.TableProvisionJob, now time.Time) *statusWriter {
	return &statusWriter{status: &job.Status, generation: job.Generation, now: metav1.NewTime(now).Rfc3339Copy()}
}

func (w *statusWriter) set(condition string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&w.status.Conditions, metav1.Condition{
		Type: condition, Status: status, Reason: reason, Message: clamp(message, messageLengthMax),
		ObservedGeneration: w.generation, LastTransitionTime: w.now,
	})
}

func (w *statusWriter) remove(condition string) {
	meta.RemoveStatusCondition(&w.status.Conditions, condition)
}

// observed says that the status is about the present spec. What may change of that (cancel, suspend, ttl)
// is heard by other ways, and makes no condition untrue.
func (w *statusWriter) observed() {
	w.status.ObservedGeneration = w.generation
	for i := range w.status.Conditions {
		w.status.Conditions[i].ObservedGeneration = w.generation
	}
}

func (w *statusWriter) say(message string) {
	w.status.Message = clamp(message, messageLengthMax)
}

// working says that the work goes on.
func (w *statusWriter) working(reason, message string) {
	w.set(v1alpha1.ConditionReady, metav1.ConditionFalse, reason, message)
	w.set(v1alpha1.ConditionReconciling, metav1.ConditionTrue, reason, message)
	w.say(message)
}

// suspended says that the work waits for spec.suspend to be taken back.
func (w *statusWriter) suspended() {
	const message = "suspended"
	w.set(v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonSuspended, message)
	w.remove(v1alpha1.ConditionReconciling)
	w.reset()
	w.say(message)
}

// reset makes the steps pending again, for an attempt that begins or goes on.
func (w *statusWriter) reset() {
	resetSteps(w.status.Steps)
	if w.status.Progress != nil {
		w.status.Progress = progressOf(w.status.Steps)
	}
}

// cancelling notes that the end of a running job is asked for.
func (w *statusWriter) cancelling() {
	w.status.Phase = v1alpha1.PhaseCancelling
	w.working(v1alpha1.ReasonCancelled, "cancelling")
}

// planned begins the part of an attempt that writes.
func (w *statusWriter) planned(steps []string) {
	w.status.Steps = planSteps(w.status.Steps, steps)
	w.reported(w.status.Steps[0].Name, false)
}

// marked keeps the identity of what the job is making, or removing.
func (w *statusWriter) marked(identity string) {
	w.status.Steps = setIdentity(w.status.Steps, identity, w.now)
}

// reported notes that a step begins or ends.
func (w *statusWriter) reported(step string, done bool) {
	w.status.Steps = reportStep(w.status.Steps, step, done, w.now)
	w.status.Progress = progressOf(w.status.Steps)
	if !done {
		w.say(step)
	}
}

// claimed notes who works on the job from now on.
func (w *statusWriter) claimed(by v1alpha1.ControllerRef, attempt int32) {
	s := w.status
	s.Controller, s.Attempt, s.HeartbeatTime = &by, attempt, &w.now
	if s.StartTime == nil {
		s.StartTime = &w.now
	}
	w.set(v1alpha1.ConditionAccepted, metav1.ConditionTrue, v1alpha1.ReasonAccepted, "held by "+by.Instance)
	if s.Phase != "" && s.Phase != v1alpha1.PhasePending && s.Phase != v1alpha1.PhaseRunning {
		return // it is being stopped or undone, and that goes on
	}
	s.Phase = v1alpha1.PhaseRunning
	w.reset()
	w.set(v1alpha1.ConditionProvisioned, metav1.ConditionUnknown, v1alpha1.ReasonProgressing, "")
	w.working(v1alpha1.ReasonProgressing, "working")
}

// succeeded ends the job.
func (w *statusWriter) succeeded(r result) {
	s := w.status
	s.Phase, s.CompletionTime, s.Error = v1alpha1.PhaseSucceeded, &w.now, nil
	for _, o := range r.outputs {
		s.Outputs = addOutput(s.Outputs, o.Name, o.Value)
	}
	if r.identity != "" {
		s.Outputs = addOutput(s.Outputs, outputIdentity, r.identity)
	}
	if len(s.Steps) == 0 {
		s.Steps = planSteps(nil, r.steps)
	}
	endSteps(s.Steps, w.now, "")
	s.Progress = progressOf(s.Steps)
	w.set(v1alpha1.ConditionProvisioned, metav1.ConditionTrue, r.reason, r.message)
	w.set(v1alpha1.ConditionReady, metav1.ConditionTrue, r.reason, r.message)
	w.remove(v1alpha1.ConditionReconciling)
	w.say(r.message)
}

// retrying notes a failed attempt that is repeated.
func (w *statusWriter) retrying(e v1alpha1.JobError, message string) {
	w.status.Error = &e
	failSteps(w.status.Steps, w.now, e.Message)
	w.working(v1alpha1.ReasonRetrying, message)
}

// ending notes how the job will end once its undo has ended.
func (w *statusWriter) ending(e ending) {
	w.status.Error = &e.err
	failSteps(w.status.Steps, w.now, e.err.Message)
	w.set(v1alpha1.ConditionProvisioned, metav1.ConditionFalse, e.reason, e.err.Message)
}

// undoing begins the undo of a job that runs or is being cancelled.
func (w *statusWriter) undoing(e ending) {
	w.ending(e)
	w.status.Phase, w.status.Undo = v1alpha1.PhaseUndoing, v1alpha1.UndoRunning
	w.set(v1alpha1.ConditionUndone, metav1.ConditionUnknown, v1alpha1.ReasonUndoing, "")
	w.working(e.reason, "undoing: "+e.err.Message)
}

// ended ends a job that did not succeed, after its undo.
func (w *statusWriter) ended(e ending, undo undoResult) {
	s := w.status
	w.ending(e)
	s.Phase, s.CompletionTime, s.Undo = e.phase(), &w.now, undo.state
	message := e.err.Message
	switch undo.state {
	case v1alpha1.UndoDone:
		undoneSteps(s.Steps)
		w.set(v1alpha1.ConditionUndone, metav1.ConditionTrue, v1alpha1.ReasonUndone, "")
	case v1alpha1.UndoFailed:
		s.Phase = v1alpha1.PhaseFailed
		s.Error.Detail = clamp("The undo failed: "+undo.remains, detailLengthMax)
		message += "; the undo failed: " + undo.remains
		w.set(v1alpha1.ConditionUndone, metav1.ConditionFalse, v1alpha1.ReasonUndoFailed, undo.remains)
	case v1alpha1.UndoNotNeeded, v1alpha1.UndoRunning:
		w.remove(v1alpha1.ConditionUndone)
		if undo.kept {
			w.set(v1alpha1.ConditionUndone, metav1.ConditionUnknown, v1alpha1.ReasonKept, "what was made stays")
		}
	}
	s.Progress = progressOf(s.Steps)
	w.set(v1alpha1.ConditionReady, metav1.ConditionFalse, e.reason, message)
	w.set(v1alpha1.ConditionStalled, metav1.ConditionTrue, e.reason, message)
	w.remove(v1alpha1.ConditionReconciling)
	w.say(message)
}

// rejected ends a job that the controller cannot do.
func (w *statusWriter) rejected(by v1alpha1.ControllerRef, reason string, e v1alpha1.JobError) {
	w.status.Controller, w.status.HeartbeatTime = &by, &w.now
	w.set(v1alpha1.ConditionAccepted, metav1.ConditionFalse, reason, e.Message)
	w.ended(ending{reason: v1alpha1.ReasonFailed, err: e}, undoResult{state: v1alpha1.UndoNotNeeded})
}

// readyReason is the reason of condition Ready, by which a job that waits tells why.
func readyReason(job *v1alpha1.TableProvisionJob) string {
	if c := meta.FindStatusCondition(job.Status.Conditions, v1alpha1.ConditionReady); c != nil {
		return c.Reason
	}
	return ""
}

// endingOf reads back what statusWriter.ending has kept, and since when.
func endingOf(job *v1alpha1.TableProvisionJob) (e ending, since time.Time, ok bool) {
	c := meta.FindStatusCondition(job.Status.Conditions, v1alpha1.ConditionProvisioned)
	if c == nil || c.Status != metav1.ConditionFalse || job.Status.Error == nil {
		return ending{}, time.Time{}, false
	}
	return ending{reason: c.Reason, err: *job.Status.Error}, c.LastTransitionTime.Time, true
}
