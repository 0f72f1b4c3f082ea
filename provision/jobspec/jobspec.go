// Package jobspec turns a step of a plan into the spec of a TableProvisionJob and back. Both ways are
// pure. The gateway builds a resource with New, a controller gets the step back with Step: what a
// provisioner needs survives the way there and back, and a secret's value is never on it.
package jobspec

import (
	"slices"
	"time"

	"github.com/google/uuid"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

// provisionerOption is the catalog option that names another controller than the built-in one.
const provisionerOption = "provisioner"

// Request is what a resource is made of.
type Request struct {
	// JobID is the job's id in the history, a lower-case uuid of version 7.
	JobID string
	// Namespace is where the resource is made, and where its secrets are.
	Namespace string
	// Step is the work. Its actions are Create, Ensure, Alter and Drop, on tables and schemas.
	Step plan.Step
	// Before is the definition that an Alter starts from; nil for other actions.
	Before *catalog.Table
	// Schema describes the options of the catalog's type. It says which of them are secret: those may
	// not hold a value.
	Schema catalog.OptionSchema
	// Deadline is how long the job may take, retries included.
	Deadline time.Duration
	// BackoffLimit is how often a failed attempt is repeated; nil leaves it to the API's default.
	BackoffLimit *int32
	// OnFailure says what becomes of a failed job's work; empty leaves it to the API's default.
	OnFailure v1alpha1.FailurePolicy
	// TTLAfterFinished is how long the resource is kept after its end; nil means for ever.
	TTLAfterFinished *time.Duration
}

// New returns the resource of a request, not yet sent anywhere. It bears the record finalizer, so that
// it stays until its end is in the history.
func New(r Request) (*v1alpha1.TableProvisionJob, error) {
	spec, err := newSpec(r)
	if err != nil {
		return nil, err
	}
	target := r.Step.Target.Name.String()
	place := append([]string{r.Step.Catalog.Name}, spec.Table.Path...)
	return &v1alpha1.TableProvisionJob{
		TypeMeta: metav1.TypeMeta{
			APIVersion: v1alpha1.GroupVersion().String(),
			Kind:       v1alpha1.KindTableProvisionJob,
		},
		ObjectMeta: metav1.ObjectMeta{
			Name:      v1alpha1.JobName(place, r.JobID),
			Namespace: r.Namespace,
			Labels: map[string]string{
				v1alpha1.LabelManagedBy: v1alpha1.ManagedBy,
				v1alpha1.LabelJobID:     r.JobID,
				v1alpha1.LabelCatalog:   v1alpha1.LabelValue(r.Step.Catalog.Name),
				v1alpha1.LabelTarget:    v1alpha1.LabelValue(target),
			},
			Annotations: map[string]string{v1alpha1.AnnotationTarget: target},
			Finalizers:  []string{v1alpha1.FinalizerRecord},
		},
		Spec: spec,
	}, nil
}

func newSpec(r Request) (v1alpha1.TableProvisionJobSpec, error) {
	var none v1alpha1.TableProvisionJobSpec
	if id, err := uuid.Parse(r.JobID); err != nil || id.Version() != 7 || id.String() != r.JobID {
		return none, sqlerr.New(sqlerr.InternalError, "%q is not a job id", r.JobID)
	}
	if r.Deadline <= 0 {
		return none, sqlerr.New(sqlerr.InternalError, "job %s has no deadline", r.JobID)
	}
	operation, kind, err := operationOf(r.Step)
	if err != nil {
		return none, err
	}
	ref, err := catalogRef(r.Step.Catalog, r.Schema.Catalog)
	if err != nil {
		return none, err
	}
	table, err := tableSpec(r.Step.Target, r.Schema.Table)
	if err != nil {
		return none, err
	}
	spec := v1alpha1.TableProvisionJobSpec{
		JobID:        r.JobID,
		DisplayName:  r.Step.Target.Name.String(),
		Operation:    operation,
		Kind:         kind,
		Provisioner:  provisionerOf(r.Step.Catalog),
		Catalog:      ref,
		Table:        table,
		Deadline:     metav1.Duration{Duration: r.Deadline},
		BackoffLimit: r.BackoffLimit,
		OnFailure:    r.OnFailure,
		RequestedBy:  r.Step.Target.RequestedBy,
	}
	if r.TTLAfterFinished != nil {
		spec.TTLAfterFinished = &metav1.Duration{Duration: *r.TTLAfterFinished}
	}
	if operation == v1alpha1.OperationAlter {
		if spec.Changes, err = alterChanges(r); err != nil {
			return none, err
		}
	}
	return spec, nil
}

func alterChanges(r Request) ([]v1alpha1.TableChange, error) {
	if r.Before == nil {
		r.Before = r.Step.Before
	}
	if r.Before == nil {
		return nil, sqlerr.New(sqlerr.InternalError, "job %s alters a table without its definition before", r.JobID)
	}
	if changes := renames(r.Step.Target); len(changes) > 0 {
		return changes, nil
	}
	return Changes(*r.Before, r.Step.Target.Table)
}

func operationOf(s plan.Step) (v1alpha1.Operation, v1alpha1.ObjectKind, error) {
	operations := map[plan.Action]v1alpha1.Operation{
		plan.Create: v1alpha1.OperationCreate,
		plan.Ensure: v1alpha1.OperationEnsure,
		plan.Alter:  v1alpha1.OperationAlter,
		plan.Drop:   v1alpha1.OperationDrop,
	}
	kinds := map[plan.Kind]v1alpha1.ObjectKind{
		plan.TableKind:  v1alpha1.ObjectTable,
		plan.SchemaKind: v1alpha1.ObjectSchema,
	}
	operation, kind := operations[s.Action], kinds[s.Target.Kind]
	if operation == "" || kind == "" {
		return "", "", sqlerr.New(sqlerr.InternalError, "step %q is no work for a job", s.ID)
	}
	return operation, kind, nil
}

// provisionerOf is the controller that a catalog's jobs go to.
func provisionerOf(c catalog.Catalog) string {
	if name, ok := c.Options.Get(provisionerOption); ok && name != "" {
		return name
	}
	return v1alpha1.BuiltinProvisioner(c.Type)
}

// Step returns the step that a job's spec describes.
func Step(spec *v1alpha1.TableProvisionJobSpec) (plan.Step, error) {
	c, err := Catalog(spec.Catalog)
	if err != nil {
		return plan.Step{}, err
	}
	actions := map[v1alpha1.Operation]plan.Action{
		v1alpha1.OperationCreate: plan.Create,
		v1alpha1.OperationEnsure: plan.Ensure,
		v1alpha1.OperationAlter:  plan.Alter,
		v1alpha1.OperationDrop:   plan.Drop,
	}
	action, ok := actions[spec.Operation]
	if !ok {
		return plan.Step{}, sqlerr.New(sqlerr.FeatureNotSupported, "operation %q is not known", spec.Operation)
	}
	target, err := resource(spec)
	if err != nil {
		return plan.Step{}, err
	}
	applyRenames(&target, spec.Changes)
	return plan.Step{
		ID:          string(spec.Operation) + " " + target.Name.String(),
		Action:      action,
		Catalog:     c,
		Target:      target,
		Destructive: action == plan.Drop || slices.ContainsFunc(spec.Changes, destructive),
		Path:        plan.Slow,
	}, nil
}

func destructive(c v1alpha1.TableChange) bool {
	return c.Action == v1alpha1.ChangeDropColumn || c.Action == v1alpha1.ChangeSetType
}
