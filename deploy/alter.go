package deploy

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// alterKnown changes an object that is as the plan saw it. One that is changed already is left alone: an
// earlier try was not heard of. Columns are lost only where the step itself says so.
func alterKnown(ctx context.Context, prov provision.Provisioner, step plan.Step, call provision.Call) error {
	if step.Converge {
		return converge(ctx, prov, step, call)
	}
	before, err := observeBefore(ctx, prov, step)
	if err != nil {
		return err
	}
	after, err := prov.Observe(ctx, step.Target.Renamed())
	if err != nil {
		return err
	}
	switch {
	case after.UpToDate && sameOne(after, step):
		return nil
	case !before.Exists:
		return sqlerr.New(sqlerr.UndefinedTable, "%s %s does not exist in catalog \"%s\"", step.Target.Kind, step.Target.Name, step.Catalog.Name)
	case !before.UpToDate && !step.Destructive:
		return changedOutside(step, before)
	}
	// What differed before is not this step's to destroy.
	after.Diff = slices.DeleteFunc(after.Diff, func(line string) bool { return slices.Contains(before.Diff, line) })
	return prov.Update(ctx, step.Target, after, call)
}

// converge leads an object to its definition, whatever it is by now.
func converge(ctx context.Context, prov provision.Provisioner, step plan.Step, call provision.Call) error {
	seen, err := prov.Observe(ctx, step.Target)
	switch {
	case err != nil:
		return err
	case seen.UpToDate && sameOne(seen, step):
		return nil
	}
	if err := mayConverge(step, seen); err != nil {
		return err
	}
	return prov.Update(ctx, step.Target, seen, call)
}

// mayConverge refuses what the system cannot do, and what would lose data without leave.
func mayConverge(step plan.Step, seen provision.Observation) error {
	switch {
	case !seen.Exists:
		return sqlerr.New(sqlerr.UndefinedTable, "%s %s does not exist in catalog \"%s\"", step.Target.Kind, step.Target.Name, step.Catalog.Name).
			WithHint("DROP TABLE takes its shadow away.")
	case !sameOne(seen, step):
		return notTheSame(step)
	case seen.Destructive && !step.Lossy:
		return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "replacing \"%s\" would lose data", step.Target.Name).
			WithDetail("%s", strings.Join(seen.Diff, "\n")).
			WithHint("Use WITH (allow_destructive = true) to allow it.")
	case len(seen.Blocked) > 0:
		return cannotChange(step, seen)
	}
	return nil
}

func cannotChange(step plan.Step, seen provision.Observation) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "%s %s cannot be changed so in catalog \"%s\"", step.Target.Kind, step.Target.Name, step.Catalog.Name).
		WithDetail("%s.", sentenceOf(seen.Blocked))
}

// observeBefore compares an object with the definition that an Alter starts from.
func observeBefore(ctx context.Context, prov provision.Provisioner, step plan.Step) (provision.Observation, error) {
	r := step.Target
	r.Renames, r.NewPath = nil, nil
	if step.Before != nil {
		r.Table = *step.Before
	}
	return prov.Observe(ctx, r)
}

// sameOne tells whether what was observed is the object that is meant.
func sameOne(seen provision.Observation, step plan.Step) bool {
	return seen.Exists && (step.Target.Identity == "" || step.Target.Identity == seen.Identity)
}

// changedOutside is for an object that is not as the plan saw it. Repeating helps, once home knows.
func changedOutside(step plan.Step, seen provision.Observation) error {
	return sqlerr.New(sqlerr.SerializationFailure, "%s %s is not as it was registered", step.Target.Kind, step.Target.Name).
		WithDetail("In catalog \"%s\": %s.", step.Catalog.Name, strings.Join(seen.Diff, "; ")).
		WithHint("REFRESH CATALOG %s reads how it is; CREATE OR REPLACE TABLE makes it what it should be.", step.Catalog.Name)
}

// checkAlter looks whether an object is as it was registered, and whether the system can change it.
func checkAlter(ctx context.Context, prov provision.Provisioner, step plan.Step) error {
	before, err := observeBefore(ctx, prov, step)
	switch {
	case err != nil:
		return err
	case !before.Exists:
		return sqlerr.New(sqlerr.UndefinedTable, "%s %s does not exist in catalog \"%s\"", step.Target.Kind, step.Target.Name, step.Catalog.Name)
	case !sameOne(before, step):
		return notTheSame(step)
	case !before.UpToDate:
		return changedOutside(step, before)
	}
	if len(step.Target.Renames) > 0 {
		return nil
	}
	after, err := prov.Observe(ctx, step.Target.Renamed())
	switch {
	case err != nil:
		return err
	case step.Target.NewPath != nil && after.Exists:
		step.Target.Name.Table = step.Target.NewPath[len(step.Target.NewPath)-1]
		return existsOutside(step)
	case len(after.Blocked) > 0 && step.Target.NewPath == nil:
		return cannotChange(step, after)
	}
	return nil
}

// checkConverge looks whether an object can be led to its definition, and notes what it is now: an undo
// leads back to that. Nothing is left of a step that has nothing to do.
func checkConverge(ctx context.Context, prov provision.Provisioner, step *plan.Step) (idle bool, err error) {
	seen, err := prov.Observe(ctx, step.Target)
	if err != nil {
		return false, err
	}
	if seen.UpToDate && sameOne(seen, *step) {
		return true, nil
	}
	if err := mayConverge(*step, seen); err != nil {
		return false, err
	}
	found := seen.Found
	step.Before = &found
	return false, nil
}

func sentenceOf(lines []string) string {
	text := strings.Join(lines, "; ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// inverse is the step that takes an Alter back.
func inverse(step plan.Step) plan.Step {
	back := step
	back.ID = "undo " + step.ID
	after := step.Target.Table
	back.Before, back.Target.Table = &after, *step.Before
	back.Target.Renames = nil
	for _, r := range slices.Backward(step.Target.Renames) {
		back.Target.Renames = append(back.Target.Renames, plan.Rename{From: r.To, To: r.From})
	}
	if step.Target.NewPath != nil {
		back.Target.Path, back.Target.NewPath = step.Target.NewPath, step.Target.Path
	}
	return back
}

// revertTries bounds how often a change that comes to light meanwhile is looked at again.
const revertTries = 3

// revert takes an Alter back. A call whose answer was lost may still be under way: the system itself keeps
// the two apart, and what the second sees then is looked at again.
func (d *Deployer) revert(ctx context.Context, step plan.Step) error {
	prov, done, err := d.pool.Get(ctx, step.Catalog)
	if err != nil {
		return err
	}
	defer done()
	back := inverse(step)
	for try := 1; ; try++ {
		err := revertOnce(ctx, prov, back)
		if e, ok := errors.AsType[*sqlerr.Error](err); !ok || e.Code != provision.Conflict.Code() || try == revertTries {
			return err
		}
	}
}

func revertOnce(ctx context.Context, prov provision.Provisioner, back plan.Step) error {
	seen, err := prov.Observe(ctx, back.Target.Renamed())
	if err != nil {
		return err
	}
	if !seen.UpToDate {
		changed, err := observeBefore(ctx, prov, back)
		switch {
		case err != nil:
			return err
		case !changed.Exists:
			return nil // gone: nothing of ours is left
		case !changed.UpToDate:
			return changedOutside(back, changed)
		}
		if back.Target.NewPath == nil && len(back.Target.Renames) == 0 {
			return prov.Update(ctx, back.Target, seen, provision.Call{})
		}
		return prov.Update(ctx, back.Target, changed, provision.Call{})
	}
	return prov.Update(ctx, back.Target, seen, provision.Call{}) // waits for one that is under way
}
