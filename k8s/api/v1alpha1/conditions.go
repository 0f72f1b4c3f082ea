package v1alpha1

// Condition types of TableProvisionJob and Provisioner. Each condition carries
// the observedGeneration it was judged at.
const (
	// ConditionAccepted says whether a controller took the job on: True once it
	// is claimed, False when the controller can not do it (see the reasons).
	ConditionAccepted = "Accepted"
	// ConditionProvisioned says whether the table is as the job wants it.
	ConditionProvisioned = "Provisioned"
	// ConditionUndone is present once an undo was needed: True when all was
	// undone, False when something remains that needs a person, which is what
	// the history calls undo_failed. It decides that, not status.undo.
	ConditionUndone = "Undone"

	// ConditionReady is True when the object has reached what its spec asks.
	ConditionReady = "Ready"
	// ConditionReconciling is present, and True, while work goes on.
	ConditionReconciling = "Reconciling"
	// ConditionStalled is present, and True, when repeating does not help.
	ConditionStalled = "Stalled"
)

// Reasons of ConditionAccepted.
const (
	// ReasonAccepted: a controller holds the job.
	ReasonAccepted = "Accepted"
	// ReasonUnsupportedOperation: the controller can not do spec.operation.
	ReasonUnsupportedOperation = "UnsupportedOperation"
	// ReasonInvalidParameters: the controller can not do what spec describes.
	ReasonInvalidParameters = "InvalidParameters"
	// ReasonNotAccepted: no controller took the job within AcceptTimeout.
	ReasonNotAccepted = "NotAccepted"
)

// Reasons of ConditionProvisioned and ConditionReady.
const (
	// ReasonProvisioned: the work is done.
	ReasonProvisioned = "Provisioned"
	// ReasonAlreadyProvisioned: nothing had to be done.
	ReasonAlreadyProvisioned = "AlreadyProvisioned"
	// ReasonSuspended: spec.suspend holds the work.
	ReasonSuspended = "Suspended"
	// ReasonProgressing: the work goes on.
	ReasonProgressing = "Progressing"
	// ReasonRetrying: an attempt failed and another one follows.
	ReasonRetrying = "Retrying"
	// ReasonFailed: the work ended with status.error.
	ReasonFailed = "Failed"
	// ReasonBackoffLimitExceeded: spec.backoffLimit attempts have failed.
	ReasonBackoffLimitExceeded = "BackoffLimitExceeded"
	// ReasonDeadlineExceeded: spec.deadline has passed.
	ReasonDeadlineExceeded = "DeadlineExceeded"
	// ReasonCancelled: spec.cancel was set before the work was done.
	ReasonCancelled = "Cancelled"
)

// Reasons of ConditionUndone.
const (
	// ReasonUndone: everything the job had made is gone again.
	ReasonUndone = "Undone"
	// ReasonUndoing: the undo goes on.
	ReasonUndoing = "Undoing"
	// ReasonUndoFailed: the undo failed; status.message says what remains.
	ReasonUndoFailed = "UndoFailed"
	// ReasonKept: spec.onFailure is Keep, what was made stays.
	ReasonKept = "Kept"
)

// Reasons of a Provisioner's ConditionReady.
const (
	// ReasonHeartbeat: the controller renewed its heartbeat in time.
	ReasonHeartbeat = "Heartbeat"
	// ReasonHeartbeatExpired: the heartbeat is older than HeartbeatExpiry.
	ReasonHeartbeatExpired = "HeartbeatExpired"
	// ReasonUnsupportedContract: its contract version is not one of ours.
	ReasonUnsupportedContract = "UnsupportedContract"
)
