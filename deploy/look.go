package deploy

import (
	"context"

	"github.com/google/uuid"
	"sigs.k8s.io/yaml"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// Look says what the live systems hold of each step's object, which calls the step will make and, for
// a slow one, the resource that carries it. It changes nothing; a system that does not answer is told.
func (d *Deployer) Look(ctx context.Context, p *plan.Plan) plan.Extra {
	ctx, cancel := context.WithTimeout(ctx, checkMax)
	defer cancel()
	extra := plan.Extra{Steps: map[string]plan.StepExtra{}}
	for _, step := range p.Steps {
		extra.Steps[step.ID] = d.lookAt(ctx, p, step)
	}
	return extra
}

func (d *Deployer) lookAt(ctx context.Context, p *plan.Plan, step plan.Step) plan.StepExtra {
	var x plan.StepExtra
	if step.Action == plan.Open {
		if len(p.Secrets) > 0 {
			return x // its secrets are not stored before the statement runs
		}
		if err := d.pool.Probe(ctx, step.Catalog); err != nil {
			x.Observed = &plan.Observed{Error: sqlerr.From(err).Message}
		}
		return x
	}
	prov, done, err := d.pool.Get(ctx, step.Catalog)
	if err != nil {
		x.Observed = &plan.Observed{Error: sqlerr.From(err).Message}
		return x
	}
	defer done()
	x.Calls = prov.Steps(step.Action, step.Target)
	x.Observed = observe(ctx, prov, step)
	if step.Path == plan.Slow && d.jobs != nil {
		x.Manifest = d.manifest(step)
	}
	return x
}

func observe(ctx context.Context, prov provision.Provisioner, step plan.Step) *plan.Observed {
	seen, err := prov.Observe(ctx, step.Target)
	if err != nil {
		return &plan.Observed{Error: sqlerr.From(err).Message}
	}
	return &plan.Observed{
		Exists: seen.Exists, UpToDate: seen.UpToDate, Destructive: seen.Destructive, Differences: seen.Diff,
	}
}

// manifest is the resource of a slow step as YAML; its job id is one that no job has.
func (d *Deployer) manifest(step plan.Step) string {
	id := uuid.Must(uuid.NewV7())
	object, err := d.jobs.Render(id, step)
	if err != nil {
		return "# " + sqlerr.From(err).Message
	}
	text, err := yaml.Marshal(object)
	if err != nil {
		return "# " + err.Error()
	}
	return string(text)
}
