package controller

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/provision"
)

// worker carries one step out on an opened system.
type worker struct {
	hold   *hold
	prov   provision.Provisioner
	target plan.Resource // with the identity that is meant
	action plan.Action
	job    *v1alpha1.TableProvisionJob
}

// carryOut opens the system and takes the step. A panic fails the job and nothing else.
func (r *reconciler) carryOut(ctx context.Context, h *hold) (done result, err error) {
	defer recovered(h, &err)
	w, release, err := r.newWorker(ctx, h)
	if err != nil {
		return result{}, err
	}
	defer release()
	switch h.step.Action {
	case plan.Create, plan.Ensure:
		return w.create(ctx)
	case plan.Alter:
		return w.alter(ctx)
	case plan.Drop:
		return w.drop(ctx)
	default:
		return result{}, sqlerr.New(sqlerr.FeatureNotSupported, "action %s is not known", h.step.Action)
	}
}

// recovered turns a panic of a provisioner into an error that is not repeated. What was panicked with is
// logged only when it is Go's own: anything else may hold a secret.
func recovered(h *hold, err *error) {
	p := recover()
	if p == nil {
		return
	}
	cause, _ := p.(runtime.Error)
	h.log.Error(cause, "provisioner panicked", "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
	*err = sqlerr.New(sqlerr.InternalError, "internal error")
}

// newWorker opens the system of a job's catalog. The identity of a table that is to be made is the one
// that an earlier attempt has kept, never one that the spec names: that would be somebody else's table.
func (r *reconciler) newWorker(ctx context.Context, h *hold) (*worker, func(), error) {
	prov, release, err := r.pool.Get(ctx, pooled(h.step.Catalog))
	if err != nil {
		return nil, nil, err
	}
	job := h.view()
	w := &worker{hold: h, prov: prov, target: h.step.Target, action: h.step.Action, job: job}
	if makes(w.action) {
		w.target.Identity = identityOf(job.Status.Steps)
	}
	return w, release, nil
}

// makes tells whether what an action leaves behind is the job's own work, which can be taken back.
func makes(action plan.Action) bool { return action == plan.Create || action == plan.Ensure }

// pooled is a catalog as the pool tells it from others: by all that it is opened with, not by its
// generation only, which a catalog that was dropped and made anew begins again.
func pooled(c catalog.Catalog) catalog.Catalog {
	text, err := json.Marshal(c)
	if err != nil {
		return c // strings and numbers can always be marshalled
	}
	sum := sha256.Sum256(text)
	c.Generation = int64(binary.BigEndian.Uint64(sum[:])) //nolint:gosec // any 64 bits will do
	return c
}

// call is what accompanies a provisioner's verb that writes.
func (w *worker) call() provision.Call {
	return provision.Call{Mark: w.hold.mark, Report: w.hold.report}
}

// begin announces the steps before the first call that writes. keep is an identity to keep with them.
func (w *worker) begin(ctx context.Context, keep string) error {
	w.hold.change(func(s *statusWriter) {
		s.planned(w.steps())
		if keep != "" {
			s.marked(keep)
		}
	})
	if err := w.hold.flush(ctx); err != nil {
		return provision.Error(provision.Unavailable, "start of the work could not be recorded").WithCause(err)
	}
	w.hold.checkSuspend()
	return ctx.Err()
}

func (w *worker) steps() []string {
	if names := w.prov.Steps(w.action, w.target); len(names) > 0 {
		return names
	}
	return []string{stepDefault}
}

// own tells whether an object is this job's own work.
func (w *worker) own(seen provision.Observation) bool {
	return seen.Exists && (seen.JobID != "" && seen.JobID == w.target.JobID ||
		w.target.Identity != "" && seen.Identity == w.target.Identity)
}

func (w *worker) done(reason, message string, seen provision.Observation) result {
	return result{reason: reason, message: message, identity: seen.Identity, outputs: seen.Outputs, steps: w.steps()}
}

// label names the target in messages: relation "orders", schema "sales".
func (w *worker) label() string {
	kind := "relation"
	if w.target.Kind == plan.SchemaKind {
		kind = "schema"
	}
	return fmt.Sprintf("%s %q", kind, w.target.Path[len(w.target.Path)-1])
}

func (w *worker) notFound() error {
	kind := provision.NotFound
	if w.target.Kind == plan.SchemaKind {
		kind = provision.SchemaNotFound
	}
	return provision.Error(kind, "%s does not exist", w.label())
}

func (w *worker) exists() error {
	kind := provision.Exists
	if w.target.Kind == plan.SchemaKind {
		kind = provision.SchemaExists
	}
	return provision.Error(kind, "%s already exists", w.label())
}

func (w *worker) replaced(seen provision.Observation, meant string) error {
	return provision.Error(provision.Conflict, "%s is another one of the same name", w.label()).
		WithDetail("It is %s, not %s.", seen.Identity, meant)
}

func (w *worker) misfit(seen provision.Observation) error {
	return provision.Error(provision.InvalidType, "%s exists and does not fit its definition", w.label()).
		WithDetail("%s.", strings.Join(seen.Diff, "; "))
}

// mark keeps the identity of what the job makes. It fails unless the identity is safely in the status,
// and then the object must not become visible.
func (h *hold) mark(ctx context.Context, identity string) error {
	if len(identity) > externalIDLengthMax {
		return provision.Error(provision.Unsupported, "identity of the object is longer than %d bytes", externalIDLengthMax)
	}
	if err := ctx.Err(); err != nil {
		return provision.Error(provision.Unavailable, "the work was interrupted").WithCause(context.Cause(ctx))
	}
	h.change(func(w *statusWriter) { w.marked(identity) })
	if err := h.flush(ctx); err != nil {
		return provision.Error(provision.Unavailable, "identity of the object could not be recorded").WithCause(err)
	}
	if ctx.Err() != nil {
		return provision.Error(provision.Unavailable, "the work was interrupted").WithCause(context.Cause(ctx))
	}
	return nil
}
