// Package controller carries out TableProvisionJobs whose spec.provisioner is `tablewright.dev/<type>`,
// for every type of catalog that it has an opener for, with the provisioner code that the fast path uses.
//
// # A job's way
//
// A job is claimed by a status update with its resourceVersion, so that one instance wins. Who holds it
// renews status.heartbeatTime; another instance takes it over after three missed heartbeats. Each attempt
// looks at the system before it writes: what an earlier attempt of the same job made is known by its mark
// (the job's id, or the identity that was kept in a step's externalId before the object became visible).
// So an attempt that was killed anywhere is repeated without doing anything twice.
//
//	Pending ── claim ──> Running ──> Succeeded
//	   │                  │  └─ retry (Running, attempt + 1)
//	   │                  ├─ failed ─────> [Undoing] ──> Failed
//	   └─ cancel          └─ spec.cancel ─> Cancelling ─> [Undoing] ──> Cancelled, or Succeeded when too late
//	        └──> Cancelled
//
// Undoing is left out when the job made nothing. An undo removes only what this job made; what cannot be
// removed ends the job Failed with condition Undone = False.
//
// # Who ends what
//
// One worker of controller-runtime runs Reconcile for a job and, within it, the provisioner's call. Beside
// it runs the keeper (see hold.keep), which writes heartbeats and progress; Reconcile waits for its end
// before it returns. The call's context ends when the job is cancelled, suspended or past its deadline
// (hold.stop), and when the hold is lost or the controller stops (hold.lose). Nothing else is started.
package controller
