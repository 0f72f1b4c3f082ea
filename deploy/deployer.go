package deploy

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

const (
	// fastStepsMax bounds all fast steps of one commit together: readers of the shadows wait behind it.
	fastStepsMax = 15 * time.Second
	// checkMax bounds the look at live systems before a statement.
	checkMax = 5 * time.Second
	// undoMax bounds taking back what one statement of a failed commit did, whatever ended it.
	undoMax = 30 * time.Second
)

// Deployer carries plans out. It may be used by many sessions at once.
type Deployer struct {
	pool    *provision.Pool
	history History
	leases  Leases
	shadows Shadows
	jobs    Jobs
	changes Changes
	holder  string // who holds the leases of this gateway
	cluster string
	metrics *metrics
	log     zerolog.Logger
	retry   chan uuid.UUID

	triesMu sync.Mutex
	tries   map[uuid.UUID]int // how often each unfinished job was repeated
}

// Options of a Deployer.
type Options struct {
	Pool    *provision.Pool
	History History
	Leases  Leases
	Shadows Shadows
	// Jobs submits slow work; nil when there is no control plane.
	Jobs Jobs
	// Changes tells of jobs that have changed.
	Changes Changes
	// Holder names this gateway in leases. No two that run have the same name; one that starts again with
	// the name goes on with its jobs at once, see Adopt.
	Holder string
	// Cluster is the uid of the control plane.
	Cluster string
	// Metrics are registered here.
	Metrics prometheus.Registerer
	Log     zerolog.Logger
}

// New returns a deployer.
func New(o Options) *Deployer {
	return &Deployer{
		pool: o.Pool, history: o.History, leases: o.Leases, shadows: o.Shadows, jobs: o.Jobs, changes: o.Changes,
		holder: o.Holder, cluster: o.Cluster, metrics: newMetrics(o.Metrics), log: o.Log,
		retry: make(chan uuid.UUID, retryQueueMax), tries: map[uuid.UUID]int{},
	}
}

// Check looks whether the live systems allow a plan: they answer, what is to be made is not there, what
// is to be dropped is still the object that was registered, and nothing outside keeps it from going.
// earlier are the plans of the same transaction that wait for its commit. It changes nothing but the plan: a
// step with nothing to do is taken out.
func (d *Deployer) Check(ctx context.Context, p *plan.Plan, earlier []*plan.Plan) error {
	ctx, cancel := context.WithTimeout(ctx, checkMax)
	defer cancel()
	dropped := drops(append(slices.Clip(earlier), p))
	var steps []plan.Step
	for _, step := range p.Steps {
		if err := nameIsFree(step, drops(earlier)); err != nil {
			return err
		}
		idle := false
		if !pending(step, earlier) && (len(step.DependsOn) == 0 || step.Action != plan.Alter) {
			var err error
			if idle, err = d.checkStep(ctx, p, &step, dropped); err != nil {
				return err
			}
		} // else it starts from what is not done yet
		if !idle {
			steps = append(steps, step)
		}
	}
	p.Steps = steps
	return nil
}

// pending tells whether plans of the same transaction are still to make or change a step's object, or to give
// its name free.
func pending(step plan.Step, earlier []*plan.Plan) bool {
	for _, p := range earlier {
		for _, s := range p.Steps {
			if s.Catalog.Name != step.Catalog.Name || s.Target.Kind != step.Target.Kind || s.Action == plan.Open {
				continue
			}
			if slices.Equal(s.Target.Renamed().Path, step.Target.Path) ||
				s.Target.NewPath != nil && slices.Equal(s.Target.Path, step.Target.Renamed().Path) {
				return true
			}
		}
	}
	return false
}

func (d *Deployer) checkStep(ctx context.Context, p *plan.Plan, step *plan.Step, dropped []plan.Step) (idle bool, err error) {
	if step.Action == plan.Open {
		return false, d.pool.Probe(ctx, step.Catalog)
	}
	prov, done, err := d.pool.Get(ctx, step.Catalog)
	if err != nil {
		return false, err
	}
	defer done()
	switch {
	case step.Converge:
		idle, err = checkConverge(ctx, prov, step)
	case step.Action == plan.Alter:
		err = checkAlter(ctx, prov, *step)
	default:
		err = checkObject(ctx, prov, p, *step, dropped)
	}
	if err == nil && !idle && step.Path == plan.Slow && d.jobs != nil {
		_, err = d.jobs.Render(uuid.Must(uuid.NewV7()), *step) // a job must be able to carry it
	}
	return idle, err
}

// checkObject looks at what is to be made or dropped. The plan gets a notice of what is gone already.
func checkObject(ctx context.Context, prov provision.Provisioner, p *plan.Plan, step plan.Step, dropped []plan.Step) error {
	seen, err := prov.Observe(ctx, step.Target)
	if err != nil {
		return err
	}
	switch step.Action {
	case plan.Create:
		if seen.Exists {
			return existsOutside(step)
		}
	case plan.Drop:
		if !seen.Exists && (step.Target.Identity != "" || step.Target.Kind == plan.SchemaKind) {
			p.Notices = append(p.Notices, goneAlready(step))
		}
		if seen.Exists && step.Target.Identity != "" && seen.Identity != step.Target.Identity {
			return notTheSame(step)
		}
		return keptBy(step, seen.Dependents, dropped)
	case plan.Ensure, plan.Open, plan.Alter:
	}
	return nil
}

// existsOutside is for an object that the system has and the home database does not know.
func existsOutside(step plan.Step) error {
	code := sqlerr.DuplicateTable
	if step.Target.Kind == plan.SchemaKind {
		code = sqlerr.DuplicateSchema
	}
	return sqlerr.New(code, "%s %s already exists in catalog \"%s\"", step.Target.Kind, step.Target.Name, step.Catalog.Name).
		WithDetail("It was not made through this gateway.")
}

// notTheSame is for an object that was dropped and made again behind our back.
func notTheSame(step plan.Step) error {
	return sqlerr.New(sqlerr.ObjectInUse, "%s %s is not the one that was registered", step.Target.Kind, step.Target.Name).
		WithDetail("Catalog \"%s\" now holds another object of that name, which is left alone.", step.Catalog.Name)
}
