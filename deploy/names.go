package deploy

import (
	"fmt"
	"slices"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// nameIsFree refuses a step that gives an object a name which the same transaction takes from another one: what is
// dropped cannot be had back, so that it goes only after the commit, and until then the system has the name.
func nameIsFree(step plan.Step, dropped []plan.Step) error {
	if step.Action != plan.Create && step.Target.NewPath == nil {
		return nil
	}
	path := step.Target.Renamed().Path
	for _, d := range dropped {
		if d.Catalog.Name != step.Catalog.Name || d.Target.Kind != step.Target.Kind || !slices.Equal(d.Target.Path, path) {
			continue
		}
		err := sqlerr.New(sqlerr.ActiveSQLTransaction, "%s %s is dropped only after the transaction has committed", d.Target.Kind, d.Target.Name).
			WithDetail("Its name is in use until then.")
		if step.Action == plan.Create && step.Target.Kind == plan.TableKind {
			return err.WithHint("Commit before the name is used again, or use CREATE OR REPLACE TABLE in place of both statements.")
		}
		return err.WithHint("Commit before the name is used again.")
	}
	return nil
}

// goneAlready tells that what a statement drops is not in its system any more.
func goneAlready(step plan.Step) plan.Notice {
	return plan.Notice{
		Severity: "NOTICE", Code: sqlerr.SuccessfulCompletion,
		Message: fmt.Sprintf("%s %s does not exist in catalog \"%s\" any more, skipping", step.Target.Kind, step.Target.Name, step.Catalog.Name),
	}
}
