package controller

import (
	"context"
	"slices"
	"time"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/provision"
	"github.com/tablewright/tablewright/provision/jobspec"
)

// Restricted is an opener of a type of catalog on which not every action is possible. Others do Create,
// Ensure, Alter and Drop.
type Restricted interface {
	Actions() []plan.Action
}

// rejection is why the controller cannot do a job.
type rejection struct {
	reason string // of condition Accepted
	err    error
}

// understand returns the step of a job, or why it cannot be done. It does no I/O.
func (r *reconciler) understand(job *v1alpha1.TableProvisionJob) (plan.Step, *rejection) {
	step, err := jobspec.Step(&job.Spec)
	if err != nil {
		return plan.Step{}, &rejection{v1alpha1.ReasonInvalidParameters, err}
	}
	if typ := r.types[job.Spec.Provisioner]; typ != step.Catalog.Type {
		return plan.Step{}, &rejection{v1alpha1.ReasonInvalidParameters, provision.Error(provision.Invalid,
			"catalog %q is of type %s, which provisioner %s does not serve", step.Catalog.Name, step.Catalog.Type, job.Spec.Provisioner)}
	}
	opener, err := r.pool.Registry().Opener(step.Catalog.Type)
	if err != nil {
		return plan.Step{}, &rejection{v1alpha1.ReasonInvalidParameters, err}
	}
	if !supports(opener, step) {
		return plan.Step{}, &rejection{v1alpha1.ReasonUnsupportedOperation, sqlerr.New(sqlerr.FeatureNotSupported,
			"%s of a %s is not supported by catalogs of type %s", step.Action, step.Target.Kind, step.Catalog.Type)}
	}
	checked := step.Target
	if step.Action == plan.Drop {
		// What is dropped needs no definition, and may have one that is not made any more.
		checked = plan.Resource{Kind: plan.CatalogKind, Name: step.Target.Name}
	}
	if err := opener.Check(step.Catalog, checked); err != nil {
		return plan.Step{}, &rejection{v1alpha1.ReasonInvalidParameters, err}
	}
	return step, nil
}

func supports(opener provision.Opener, step plan.Step) bool {
	if step.Target.Kind == plan.SchemaKind && step.Action == plan.Alter {
		return false
	}
	return slices.Contains(actions(opener), step.Action)
}

func actions(opener provision.Opener) []plan.Action {
	if restricted, ok := opener.(Restricted); ok {
		return restricted.Actions()
	}
	return []plan.Action{plan.Create, plan.Ensure, plan.Alter, plan.Drop}
}

// heldFor is how long a job is still another instance's; 0 when it may be claimed.
func (r *reconciler) heldFor(job *v1alpha1.TableProvisionJob) time.Duration {
	s := job.Status
	if s.Controller == nil || s.Controller.Instance == r.instance || s.HeartbeatTime == nil {
		return 0
	}
	if readyReason(job) == v1alpha1.ReasonSuspended {
		return 0 // nobody works on it; the first to claim it goes on
	}
	return max(0, v1alpha1.HeartbeatExpiry-r.clock.Since(s.HeartbeatTime.Time))
}

// nextAttempt is the number of the attempt that a claim begins. To go on after a suspend is none of its
// own, and neither is it to go on with an undo.
func (r *reconciler) nextAttempt(job *v1alpha1.TableProvisionJob) int32 {
	s := job.Status
	mine := r.jobs.recall(job).claimed && s.Controller != nil && s.Controller.Instance == r.instance
	settling := s.Phase == v1alpha1.PhaseCancelling || s.Phase == v1alpha1.PhaseUndoing
	if s.Attempt > 0 && (readyReason(job) == v1alpha1.ReasonSuspended || mine && settling) {
		return s.Attempt
	}
	return s.Attempt + 1
}

// claim makes this instance the holder by an update that carries the resourceVersion: when anybody else
// changed the job since it was read, the claim fails with a conflict and is not repeated.
func (h *hold) claim(ctx context.Context, attempt int32) error {
	h.change(func(w *statusWriter) { w.claimed(h.r.ref(h.job), attempt) })
	h.writing.Lock()
	defer h.writing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, h.r.writeTimeout)
	defer cancel()
	job := h.take()
	if err := h.r.updateStatus(ctx, job); err != nil {
		return err
	}
	h.written(job)
	h.r.jobs.update(job, func(m *memory) {
		m.claimed = true
		if m.started.IsZero() {
			m.started = job.Status.StartTime.Time
			if attempt == 1 {
				m.started = h.r.clock.Now()
			}
		}
	})
	return nil
}

// ref is this instance as the holder of a job.
func (r *reconciler) ref(job *v1alpha1.TableProvisionJob) v1alpha1.ControllerRef {
	return v1alpha1.ControllerRef{Name: job.Spec.Provisioner, Instance: r.instance, Version: r.version}
}

// deadlineOf is when a job's time is over.
func (r *reconciler) deadlineOf(job *v1alpha1.TableProvisionJob) time.Time {
	started := r.jobs.recall(job).started
	if started.IsZero() {
		started = r.clock.Now()
		if job.Status.StartTime != nil {
			started = job.Status.StartTime.Time
		}
	}
	return started.Add(job.Spec.Deadline.Duration)
}
