package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Phase is where a job is. Allowed ways: Pending to any other but Undoing;
// Running to any but Pending; Cancelling to Undoing or a final phase; Undoing to
// Failed or Cancelled. Final phases never change.
//
// +kubebuilder:validation:Enum=Pending;Running;Undoing;Cancelling;Succeeded;Failed;Cancelled
type Phase string

// Phases of a job.
const (
	// PhasePending is a job that nobody works on yet.
	PhasePending Phase = "Pending"
	// PhaseRunning is a job at work.
	PhaseRunning Phase = "Running"
	// PhaseUndoing is a failed or cancelled job whose work is being taken back.
	PhaseUndoing Phase = "Undoing"
	// PhaseCancelling is a job whose cancel was seen.
	PhaseCancelling Phase = "Cancelling"
	// PhaseSucceeded is final: the work is done.
	PhaseSucceeded Phase = "Succeeded"
	// PhaseFailed is final: status.error says why.
	PhaseFailed Phase = "Failed"
	// PhaseCancelled is final: stopped as spec.cancel asked.
	PhaseCancelled Phase = "Cancelled"
)

// Final returns whether the phase never changes again.
func (p Phase) Final() bool {
	return p == PhaseSucceeded || p == PhaseFailed || p == PhaseCancelled
}

// StepPhase is where one step of a job is.
//
// +kubebuilder:validation:Enum=Pending;Running;Succeeded;Failed;Skipped;Undone
type StepPhase string

// Phases of a step.
const (
	// StepPending is a step that was not begun.
	StepPending StepPhase = "Pending"
	// StepRunning is a step at work.
	StepRunning StepPhase = "Running"
	// StepSucceeded is a step that is done.
	StepSucceeded StepPhase = "Succeeded"
	// StepFailed is a step that failed.
	StepFailed StepPhase = "Failed"
	// StepSkipped is a step that had nothing to do.
	StepSkipped StepPhase = "Skipped"
	// StepUndone is a step that was taken back.
	StepUndone StepPhase = "Undone"
)

// UndoState is how far the undo of a job is.
//
// +kubebuilder:validation:Enum=NotNeeded;Running;Done;Failed
type UndoState string

// States of an undo.
const (
	// UndoNotNeeded: there is nothing to take back, or it is to be kept.
	UndoNotNeeded UndoState = "NotNeeded"
	// UndoRunning: it is being taken back.
	UndoRunning UndoState = "Running"
	// UndoDone: all was taken back.
	UndoDone UndoState = "Done"
	// UndoFailed: something remains; condition Undone is False.
	UndoFailed UndoState = "Failed"
)

// TableProvisionJobStatus is how far a job is.
//
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.phase) || !(oldSelf.phase in ['Succeeded','Failed','Cancelled']) || (has(self.phase) && self.phase == oldSelf.phase)",message="a final phase never changes"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.phase) || has(self.phase)",message="phase may not be removed"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.phase) || !has(self.phase) || oldSelf.phase == self.phase || (oldSelf.phase == 'Pending' && self.phase != 'Undoing') || (oldSelf.phase == 'Running' && self.phase != 'Pending') || (oldSelf.phase == 'Cancelling' && self.phase in ['Undoing','Succeeded','Failed','Cancelled']) || (oldSelf.phase == 'Undoing' && self.phase in ['Failed','Cancelled'])",message="no such transition of phase"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.attempt) || (has(self.attempt) && self.attempt >= oldSelf.attempt)",message="attempt never goes down"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.startTime) || (has(self.startTime) && self.startTime == oldSelf.startTime)",message="startTime is set once"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.completionTime) || (has(self.completionTime) && self.completionTime == oldSelf.completionTime)",message="completionTime is set once"
// +kubebuilder:validation:XValidation:rule="!has(self.phase) || (self.phase in ['Succeeded','Failed','Cancelled']) == has(self.completionTime)",message="completionTime is set exactly with a final phase"
// +kubebuilder:validation:XValidation:rule="!has(self.phase) || self.phase != 'Failed' || has(self.error)",message="Failed needs an error"
// +kubebuilder:validation:XValidation:rule="!has(self.phase) || self.phase == 'Pending' || self.phase == 'Cancelled' || has(self.controller)",message="controller (holder) must be set once a job runs"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.outputs) || !has(oldSelf.phase) || oldSelf.phase != 'Succeeded' || (has(self.outputs) && self.outputs == oldSelf.outputs)",message="outputs of a succeeded job never change"
// +kubebuilder:validation:XValidation:rule="!has(self.phase) || !has(self.undo) || !(self.phase in ['Succeeded','Failed','Cancelled']) || self.undo != 'Running'",message="a phase is final only after its undo"
type TableProvisionJobStatus struct {
	// ObservedGeneration is the generation of spec that this status is about.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Phase is where the job is; absent counts as Pending.
	// +optional
	Phase Phase `json:"phase,omitempty"`
	// Attempt counts the attempts from 1; who takes a job over adds one.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Attempt int32 `json:"attempt,omitempty"`
	// Controller is who holds the job. It is claimed by an update that carries
	// the resourceVersion, never by a forced apply, which would steal it.
	// +optional
	Controller *ControllerRef `json:"controller,omitempty"`
	// HeartbeatTime is when the holder was last known to be alive.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[-+]([01]\d|2[0-3]):[0-5]\d)$`
	HeartbeatTime *metav1.Time `json:"heartbeatTime,omitempty"`
	// StartTime is when the first attempt began.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[-+]([01]\d|2[0-3]):[0-5]\d)$`
	StartTime *metav1.Time `json:"startTime,omitempty"`
	// CompletionTime is when the job ended.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[-+]([01]\d|2[0-3]):[0-5]\d)$`
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
	// Progress is how much of the work is done.
	// +optional
	Progress *Progress `json:"progress,omitempty"`
	// Steps are the provisioner's own steps.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Steps []JobStep `json:"steps,omitempty"`
	// Message says in words where the job is. Never a secret.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message,omitempty"`
	// Error is why the job, or its last attempt, failed.
	// +optional
	Error *JobError `json:"error,omitempty"`
	// Undo is how far the undo is.
	// +optional
	Undo UndoState `json:"undo,omitempty"`
	// Outputs are what the work yielded, such as a location.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Outputs []JobOutput `json:"outputs,omitempty"`
	// Conditions: Accepted, Provisioned, Undone, Ready, Reconciling, Stalled.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.all(c, c.lastTransitionTime >= timestamp('1970-01-01T00:00:00Z'))",message="lastTransitionTime must be an RFC 3339 time"
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ControllerRef is one running instance of a controller.
type ControllerRef struct {
	// Name is the controller's name, as in spec.provisioner.
	// +required
	// +kubebuilder:validation:MaxLength=316
	Name string `json:"name"`
	// Instance tells its instances apart, such as a pod's name.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Instance string `json:"instance"`
	// Version is the controller's version.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Version string `json:"version,omitempty"`
}

// Progress is how much of a job is done.
//
// +kubebuilder:validation:XValidation:rule="!has(self.total) || !has(self.done) || self.done <= self.total",message="done may not be more than total"
type Progress struct {
	// Done is how many units are done.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Done int64 `json:"done"`
	// Total is how many units there are; absent (zero) when it is not known.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Total int64 `json:"total,omitempty"`
	// Unit is what is counted, such as steps.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Unit string `json:"unit,omitempty"`
}

// JobStep is one step of a job, as its provisioner counts them.
type JobStep struct {
	// Name is the step's name, unique in the job.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// Phase is where the step is.
	// +required
	Phase StepPhase `json:"phase"`
	// StartTime is when the step began.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[-+]([01]\d|2[0-3]):[0-5]\d)$`
	StartTime *metav1.Time `json:"startTime,omitempty"`
	// CompletionTime is when the step ended.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[-+]([01]\d|2[0-3]):[0-5]\d)$`
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
	// Message says in words what came of it.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`
	// ExternalID is the system's id of what the step runs or made.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ExternalID string `json:"externalId,omitempty"`
}

// JobError is why a job failed, in PostgreSQL's terms. Never a secret.
type JobError struct {
	// Code is the SQLSTATE.
	// +required
	// +kubebuilder:validation:Pattern=`^[0-9A-Z]{5}$`
	Code string `json:"code"`
	// Message is one line: lower case, no full stop.
	// +required
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message"`
	// Detail is more about it.
	// +optional
	// +kubebuilder:validation:MaxLength=8192
	Detail string `json:"detail,omitempty"`
	// Hint says what to do about it.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Hint string `json:"hint,omitempty"`
	// Retryable says whether another attempt may succeed.
	// +optional
	// +kubebuilder:default=false
	Retryable bool `json:"retryable,omitempty"`
}

// JobOutput is one thing that a job yielded.
type JobOutput struct {
	// Name is the output's name.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// Value is the output's value. Never a secret.
	// +required
	// +kubebuilder:validation:MaxLength=4096
	Value string `json:"value"`
}
