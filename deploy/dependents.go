package deploy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// drops are the steps of plans that delete something.
func drops(plans []*plan.Plan) []plan.Step {
	var steps []plan.Step
	for _, p := range plans {
		for _, s := range p.Steps {
			if s.Action == plan.Drop {
				steps = append(steps, s)
			}
		}
	}
	return steps
}

// keptBy is the error for an object that its system would not let go, because others there depend on it.
// What is dropped in the same transaction does not count.
func keptBy(step plan.Step, dependents []provision.Dependent, dropped []plan.Step) error {
	var lines []string
	for _, d := range dependents {
		goes := slices.ContainsFunc(dropped, func(s plan.Step) bool {
			return s.Catalog.Name == step.Catalog.Name && s.Target.Kind == plan.TableKind && sameObject(s.Target.Path, d.Path)
		})
		if !goes {
			lines = append(lines, fmt.Sprintf("%s depends on %s %s", d.Description, step.Target.Kind, step.Target.Name))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop %s %s because other objects in catalog \"%s\" depend on it",
		step.Target.Kind, step.Target.Name, step.Catalog.Name).
		WithDetail("%s", strings.Join(lines, "\n")).
		WithHint("Drop them first; CASCADE does not reach objects that were not made here.")
}

// sameObject compares two paths, of which the shorter one leaves out the default schema.
func sameObject(a, b []string) bool {
	n := min(len(a), len(b))
	return n > 0 && slices.Equal(a[len(a)-n:], b[len(b)-n:])
}
