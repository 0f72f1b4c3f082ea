package controller

import (
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

const (
	unitSteps = "steps"
	// stepDefault is the step of a provisioner that names none.
	stepDefault = "work"
)

// planSteps returns the steps of an attempt, none begun. Identities that earlier attempts kept stay, and
// so do the start times by which it is known that something was begun.
func planSteps(old []v1alpha1.JobStep, names []string) []v1alpha1.JobStep {
	steps := make([]v1alpha1.JobStep, 0, len(names))
	for _, name := range names {
		name = uniqueName(steps, clamp(name, stepNameLengthMax))
		if len(steps) == stepsMax || name == "" {
			continue
		}
		step := v1alpha1.JobStep{Name: name, Phase: v1alpha1.StepPending}
		if i := findStep(old, name); i >= 0 {
			step.ExternalID, step.StartTime = old[i].ExternalID, old[i].StartTime
		}
		steps = append(steps, step)
	}
	for _, o := range old {
		if o.ExternalID != "" && findStep(steps, o.Name) < 0 {
			keepIdentity(steps, o)
		}
	}
	return steps
}

// keepIdentity hands the identity of a step that is no longer there to the last one.
func keepIdentity(steps []v1alpha1.JobStep, gone v1alpha1.JobStep) {
	if last := len(steps) - 1; last >= 0 && steps[last].ExternalID == "" {
		steps[last].ExternalID, steps[last].StartTime = gone.ExternalID, gone.StartTime
	}
}

func uniqueName(steps []v1alpha1.JobStep, name string) string {
	unique := name
	for n := 2; findStep(steps, unique) >= 0; n++ {
		suffix := " " + strconv.Itoa(n)
		unique = clamp(name, stepNameLengthMax-len(suffix)) + suffix
	}
	return unique
}

func findStep(steps []v1alpha1.JobStep, name string) int {
	return slices.IndexFunc(steps, func(s v1alpha1.JobStep) bool { return s.Name == name })
}

// reportStep notes that a step begins or ends. A step that nobody announced is added while there is room.
func reportStep(steps []v1alpha1.JobStep, name string, done bool, now metav1.Time) []v1alpha1.JobStep {
	name = clamp(name, stepNameLengthMax)
	i := findStep(steps, name)
	if i < 0 {
		if len(steps) == stepsMax || name == "" {
			return steps
		}
		steps = append(steps, v1alpha1.JobStep{Name: name, StartTime: &now})
		i = len(steps) - 1
	}
	s := &steps[i]
	if done {
		s.Phase, s.CompletionTime = v1alpha1.StepSucceeded, &now
		return steps
	}
	s.Phase, s.StartTime, s.CompletionTime, s.Message = v1alpha1.StepRunning, &now, nil, ""
	return steps
}

// currentStep is the step that an identity belongs to: the last one that was begun in this attempt.
func currentStep(steps []v1alpha1.JobStep) int {
	for i, s := range slices.Backward(steps) {
		if s.Phase == v1alpha1.StepRunning || s.Phase == v1alpha1.StepSucceeded {
			return i
		}
	}
	return len(steps) - 1
}

// setIdentity keeps the identity of what is being made in the current step, and nowhere else.
func setIdentity(steps []v1alpha1.JobStep, identity string, now metav1.Time) []v1alpha1.JobStep {
	if len(steps) == 0 {
		steps = reportStep(steps, stepDefault, false, now)
	}
	for i := range steps {
		steps[i].ExternalID = ""
	}
	steps[currentStep(steps)].ExternalID = identity
	return steps
}

// identityOf is the identity that an attempt has kept, empty when there is none.
func identityOf(steps []v1alpha1.JobStep) string {
	for _, s := range steps {
		if s.ExternalID != "" {
			return s.ExternalID
		}
	}
	return ""
}

// begun tells whether any attempt came as far as a call that writes.
func begun(steps []v1alpha1.JobStep) bool {
	return slices.ContainsFunc(steps, func(s v1alpha1.JobStep) bool { return s.StartTime != nil || s.ExternalID != "" })
}

// resetSteps makes an attempt's steps pending again.
func resetSteps(steps []v1alpha1.JobStep) {
	for i := range steps {
		steps[i].Phase, steps[i].CompletionTime, steps[i].Message = v1alpha1.StepPending, nil, ""
	}
}

// endSteps ends what has not ended: what runs has succeeded, what was not begun had nothing to do.
func endSteps(steps []v1alpha1.JobStep, now metav1.Time, message string) {
	for i := range steps {
		switch steps[i].Phase {
		case v1alpha1.StepRunning:
			steps[i].Phase, steps[i].CompletionTime = v1alpha1.StepSucceeded, &now
		case v1alpha1.StepPending:
			steps[i].Phase, steps[i].Message = v1alpha1.StepSkipped, message
		default:
		}
	}
}

func failSteps(steps []v1alpha1.JobStep, now metav1.Time, message string) {
	for i := range steps {
		if steps[i].Phase == v1alpha1.StepRunning {
			steps[i].Phase, steps[i].CompletionTime = v1alpha1.StepFailed, &now
			steps[i].Message = clamp(message, stepMessageLengthMax)
		}
	}
}

func undoneSteps(steps []v1alpha1.JobStep) {
	for i := range steps {
		if steps[i].Phase == v1alpha1.StepSucceeded {
			steps[i].Phase = v1alpha1.StepUndone
		}
	}
}

func progressOf(steps []v1alpha1.JobStep) *v1alpha1.Progress {
	p := v1alpha1.Progress{Total: int64(len(steps)), Unit: unitSteps}
	for _, s := range steps {
		if s.Phase == v1alpha1.StepSucceeded || s.Phase == v1alpha1.StepSkipped {
			p.Done++
		}
	}
	return &p
}
