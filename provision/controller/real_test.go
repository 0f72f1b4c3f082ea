package controller

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/provision"
	"github.com/tablewright/tablewright/provision/iceberg"
	"github.com/tablewright/tablewright/provision/postgres"
	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
)

// tapped is an opener of a real system whose creates a test can interfere with, before and after the call
// by which the object becomes visible.
type tapped struct {
	provision.Opener
	s *system // for its hooks only
}

func (o tapped) Open(ctx context.Context, c catalog.Catalog, secrets provision.SecretResolver) (provision.Provisioner, error) {
	p, err := o.Opener.Open(ctx, c, secrets)
	if err != nil {
		return nil, err
	}
	return tap{p, o.s}, nil
}

type tap struct {
	provision.Provisioner
	s *system
}

func (p tap) Create(ctx context.Context, r plan.Resource, call provision.Call) (provision.Observation, error) {
	report, mark := call.Report, call.Mark
	call.Report = func(step string, done bool) {
		report(step, done)
		if step == "commit" && done {
			_ = p.s.reach(ctx, atCommitted, r) // here a victim is killed
		}
	}
	call.Mark = func(ctx context.Context, identity string) error {
		return errors.Join(mark(ctx, identity), p.s.reach(ctx, atMarked, r))
	}
	o, err := p.Provisioner.Create(ctx, r, call)
	if err == nil {
		err = p.s.reach(context.WithoutCancel(ctx), atAnswered, r)
	}
	return o, err
}

func (p tap) Delete(ctx context.Context, r plan.Resource, call provision.Call) error {
	report := call.Report
	call.Report = func(step string, done bool) {
		if report != nil {
			report(step, done)
		}
		if (step == "commit" || step == "drop from catalog") && done {
			_ = p.s.reach(ctx, atDeleted, r) // here a victim is killed
		}
	}
	return p.Provisioner.Delete(ctx, r, call)
}

// atAnswered is when the call has its answer, which a test may turn into another.
const atAnswered = "answered"

// realPool opens real systems; catalogues of Iceberg may lie in dir.
func realPool(s *system, dir string) *provision.Pool {
	return provision.NewPool(provision.Registry{
		"iceberg":  tapped{iceberg.New(iceberg.Options{Allow: []string{dir}}), s},
		"postgres": tapped{postgres.New(postgres.Options{}), s},
	}, realSecrets{})
}

type realSecrets struct{}

func (realSecrets) Resolve(context.Context, catalog.Option) (string, error) {
	return pgserver.Password, nil
}

// reality is a real system of a test's own.
type reality struct {
	*system // hooks
	dir     string
	catalog catalog.Catalog
	files   func(t *testing.T) int // that the system has of tables; nil where that cannot be told
}

func realSystems(t *testing.T) map[string]func(t *testing.T) *reality {
	t.Helper()
	server, err := pgserver.Start(t.Context())
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Errorf("stop PostgreSQL: %v", err)
		}
	})
	return map[string]func(t *testing.T) *reality{
		"iceberg": realIceberg,
		"postgres": func(t *testing.T) *reality {
			t.Helper()
			database := "d" + strings.ReplaceAll(namespaceOf(t), "-", "")
			if err := server.Exec(t.Context(), "postgres", "CREATE DATABASE "+database); err != nil {
				t.Fatalf("create database: %v", err)
			}
			return &reality{system: newSystem(t), dir: t.TempDir(), catalog: catalog.Catalog{
				Name: "lake", Type: "postgres", Generation: 1,
				Options: catalog.Options{
					{Name: "host", Value: pgserver.Host},
					{Name: "port", Value: strconv.Itoa(int(server.Port))},
					{Name: "user", Value: pgserver.Superuser},
					{Name: "database", Value: database},
					{Name: "sslmode", Value: "disable"},
					{Name: "password", SecretRef: &catalog.SecretKeyRef{Name: "lake", Key: "password"}},
				},
			}}
		},
	}
}

func realIceberg(t *testing.T) *reality {
	t.Helper()
	dir := t.TempDir()
	warehouse := filepath.Join(dir, "warehouse")
	if err := os.Mkdir(warehouse, 0o700); err != nil {
		t.Fatalf("make the warehouse: %v", err)
	}
	files := func(t *testing.T) int {
		t.Helper()
		n := 0
		err := filepath.WalkDir(warehouse, func(_ string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				n++
			}
			return err
		})
		if err != nil {
			t.Fatalf("warehouse: %v", err)
		}
		return n
	}
	return &reality{system: newSystem(t), dir: dir, files: files, catalog: catalog.Catalog{
		Name: "lake", Type: "iceberg", Generation: 1,
		Options: catalog.Options{
			{Name: "uri", Value: "sqlite:///" + filepath.Join(dir, "catalog.db")},
			{Name: "warehouse", Value: "file://" + warehouse},
		},
	}}
}

func (s *reality) drive(t *testing.T, namespace, instance string, now time.Time) *driver {
	t.Helper()
	d := drive(t, s.system, namespace, instance, now)
	d.pool = realPool(s.system, s.dir)
	t.Cleanup(func() {
		if err := d.pool.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	d.types = map[string]string{"tablewright.dev/iceberg": "iceberg", "tablewright.dev/postgres": "postgres"}
	return d
}

func (s *reality) step(action plan.Action, kind plan.Kind) plan.Step {
	step := stepOn(action, s.catalog.Type, "orders")
	step.Catalog = s.catalog
	if kind == plan.SchemaKind {
		step.Target = plan.Resource{Kind: kind, Name: catalog.Name{Catalog: "lake", Schema: "sales"}, Path: []string{"sales"}}
	}
	return step
}

// look observes the table past all taps.
func (s *reality) look(t *testing.T, d *driver) provision.Observation {
	t.Helper()
	prov, release, err := d.pool.Get(t.Context(), pooled(s.catalog))
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	defer release()
	seen, err := prov.Observe(t.Context(), s.step(plan.Ensure, plan.TableKind).Target)
	if err != nil {
		t.Fatalf("observe: %v", err)
	}
	return seen
}

// schema makes the schema of the table.
func (s *reality) schema(t *testing.T, d *driver, namespace string) {
	t.Helper()
	job := d.finish(t, submitStep(t, namespace, s.step(plan.Ensure, plan.SchemaKind)))
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
}

func identityOutput(job *v1alpha1.TableProvisionJob) string {
	for _, o := range job.Status.Outputs {
		if o.Name == outputIdentity {
			return o.Value
		}
	}
	return ""
}

func TestRealSystems(t *testing.T) {
	tests := map[string]func(*testing.T, *reality){
		"life":           testRealLife,
		"lost answer":    testRealLostAnswer,
		"lost after it":  testRealDiesAfterMark,
		"undo":           testRealUndo,
		"cancel":         testRealCancel,
		"killed at mark": func(t *testing.T, s *reality) { testRealKilled(t, s, atMarked) },
		"killed after":   func(t *testing.T, s *reality) { testRealKilled(t, s, atCommitted) },
		"killed drop":    testRealKilledDrop,
		"killed undo":    testRealKilledUndo,
	}
	for system, start := range realSystems(t) {
		for name, test := range tests {
			t.Run(system+" "+name, func(t *testing.T) { test(t, start(t)) })
		}
	}
}

func testRealLife(t *testing.T, s *reality) {
	namespace := namespaceOf(t)
	d := s.drive(t, namespace, "one", time.Now())
	s.schema(t, d, namespace)
	job := d.finish(t, submitStep(t, namespace, s.step(plan.Create, plan.TableKind)))
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	identity := identityOutput(job)
	if seen := s.look(t, d); !seen.UpToDate || seen.Identity != identity || identity == "" || identityOf(job.Status.Steps) != identity {
		t.Fatalf("observed %+v, status is %s", seen, show(job))
	}
	if job.Status.Progress.Done != job.Status.Progress.Total || job.Status.Progress.Total < 2 {
		t.Fatalf("progress is %+v", job.Status.Progress)
	}

	job = d.finish(t, submitStep(t, namespace, s.step(plan.Ensure, plan.TableKind)))
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonAlreadyProvisioned)
	if identityOutput(job) != identity {
		t.Fatalf("status is %s", show(job))
	}
	job = d.finish(t, submitStep(t, namespace, s.step(plan.Create, plan.TableKind)))
	requireError(t, job, sqlerr.DuplicateTable, "orders")
	wider := s.step(plan.Ensure, plan.TableKind)
	wider.Target.Table.Columns = columns("id", "qty", "price")
	job = d.finish(t, submitStep(t, namespace, wider))
	requireError(t, job, sqlerr.DatatypeMismatch, "price")

	// From (id, old) to (id, qty) by the job's changes, from (id, qty) in fact: qty is not to be lost.
	alter := s.step(plan.Alter, plan.TableKind)
	alter.Target.Table.Columns = columns("id", "price")
	job = d.finish(t, submitStep(t, namespace, alter, withUID(identity)))
	requireError(t, job, sqlerr.ObjectNotInPrerequisiteState, "qty")
	alter.Target.Table.Columns = columns("id", "qty", "price")
	job = d.finish(t, submitStep(t, namespace, alter, withUID(identity)))
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	if identityOutput(job) != identity || len(s.look(t, d).Found.Columns) != 3 {
		t.Fatalf("columns are %+v, status is %s", s.look(t, d).Found.Columns, show(job))
	}

	job = d.finish(t, submitStep(t, namespace, s.step(plan.Drop, plan.TableKind), withUID("00000000-0000-4000-8000-000000000000")))
	requireError(t, job, sqlerr.ObjectInUse, "another one")
	job = d.finish(t, submitStep(t, namespace, s.step(plan.Drop, plan.TableKind), withUID(identity)))
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	if s.look(t, d).Exists {
		t.Fatalf("the table is still there")
	}
	job = d.finish(t, submitStep(t, namespace, s.step(plan.Drop, plan.SchemaKind)))
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
}

// The answer to the commit is lost: the next attempt knows its work.
func testRealLostAnswer(t *testing.T, s *reality) {
	namespace := namespaceOf(t)
	d := s.drive(t, namespace, "one", time.Now())
	s.schema(t, d, namespace)
	s.on(atAnswered, times(1, unavailable()))
	job := d.finish(t, submitStep(t, namespace, s.step(plan.Create, plan.TableKind)))
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	if job.Status.Attempt != 2 || s.look(t, d).Identity != identityOf(job.Status.Steps) {
		t.Fatalf("status is %s", show(job))
	}
}

// The call ends between its mark and its commit: the next attempt makes the table, once.
func testRealDiesAfterMark(t *testing.T, s *reality) {
	namespace := namespaceOf(t)
	d := s.drive(t, namespace, "one", time.Now())
	s.schema(t, d, namespace)
	s.on(atMarked, times(1, unavailable()))
	job := d.finish(t, submitStep(t, namespace, s.step(plan.Create, plan.TableKind)))
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	if seen := s.look(t, d); job.Status.Attempt != 2 || seen.Identity != identityOf(job.Status.Steps) || !seen.UpToDate {
		t.Fatalf("observed %+v, status is %s", seen, show(job))
	}
	s.requireFiles(t, 1)
}

func (s *reality) requireFiles(t *testing.T, want int) {
	t.Helper()
	if s.files == nil {
		return
	}
	if got := s.files(t); got != want {
		t.Fatalf("there are %d files of tables, want %d", got, want)
	}
}

func testRealUndo(t *testing.T, s *reality) {
	namespace := namespaceOf(t)
	d := s.drive(t, namespace, "one", time.Now())
	s.schema(t, d, namespace)
	s.on(atAnswered, times(1, denied()))
	job := d.finish(t, submitStep(t, namespace, s.step(plan.Create, plan.TableKind)))
	requirePhase(t, job, v1alpha1.PhaseFailed, v1alpha1.ReasonFailed)
	requireError(t, job, sqlerr.InsufficientPrivilege, "permission denied")
	if job.Status.Undo != v1alpha1.UndoDone || s.look(t, d).Exists {
		t.Fatalf("status is %s", show(job))
	}
	s.requireFiles(t, 0)
}

func testRealCancel(t *testing.T, s *reality) {
	namespace := namespaceOf(t)
	d := s.drive(t, namespace, "one", time.Now())
	s.schema(t, d, namespace)
	job := submitStep(t, namespace, s.step(plan.Create, plan.TableKind))
	s.on(atMarked, func(ctx context.Context, _ plan.Resource) error {
		if err := patchSpec(ctx, job, cancelSpec); err != nil {
			return err
		}
		d.jobs.told(get(t, job)) // as the event does
		<-ctx.Done()
		return nil
	})
	job = d.finish(t, job)
	requirePhase(t, job, v1alpha1.PhaseCancelled, v1alpha1.ReasonCancelled)
	if s.look(t, d).Exists {
		t.Fatalf("the table is there: %s", show(job))
	}
	s.requireFiles(t, 0)
}

// testRealKilled kills the controller's process at a point of a create.
func testRealKilled(t *testing.T, s *reality, point string) {
	namespace := namespaceOf(t)
	s.schema(t, s.drive(t, namespace, "one", time.Now()), namespace)
	job := submitStep(t, namespace, s.step(plan.Create, plan.TableKind))
	sacrifice(t, s.system, namespace, envKillAt+"="+point, envReal+"="+s.dir)
	marked := identityOf(get(t, job).Status.Steps)
	if marked == "" {
		t.Fatalf("no identity was kept: %s", show(get(t, job)))
	}
	d := s.drive(t, namespace, victimName, time.Now())
	job = d.finish(t, job)
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	seen := s.look(t, d)
	if diff := cmp.Diff([]string{seen.Identity, seen.Identity}, []string{identityOutput(job), identityOf(job.Status.Steps)}); diff != "" {
		t.Fatalf("identities (-want +got):\n%s", diff)
	}
	if point == atCommitted && seen.Identity != marked {
		t.Fatalf("another table was made: %s, was %s", seen.Identity, marked)
	}
	s.requireFiles(t, 1)
}

// testRealKilledDrop kills the controller's process when the table is gone, and its files are not.
func testRealKilledDrop(t *testing.T, s *reality) {
	namespace := namespaceOf(t)
	d := s.drive(t, namespace, "one", time.Now())
	s.schema(t, d, namespace)
	made := d.finish(t, submitStep(t, namespace, s.step(plan.Create, plan.TableKind)))
	job := submitStep(t, namespace, s.step(plan.Drop, plan.TableKind), withUID(identityOutput(made)))
	sacrifice(t, s.system, namespace, envKillAt+"="+atDeleted, envReal+"="+s.dir)
	s.requireFiles(t, 1)
	job = s.drive(t, namespace, victimName, time.Now()).finish(t, job)
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	if s.look(t, d).Exists {
		t.Fatalf("the table is there: %s", show(job))
	}
	s.requireFiles(t, 0)
}

func testRealKilledUndo(t *testing.T, s *reality) {
	namespace := namespaceOf(t)
	d := s.drive(t, namespace, "one", time.Now())
	s.schema(t, d, namespace)
	job := submitStep(t, namespace, s.step(plan.Create, plan.TableKind))
	sacrifice(t, s.system, namespace, envFailAt+"="+atAnswered, envKillAt+"="+atDeleted, envReal+"="+s.dir)
	if now := get(t, job); now.Status.Phase != v1alpha1.PhaseUndoing {
		t.Fatalf("status is %s", show(now))
	}
	job = s.drive(t, namespace, victimName, time.Now()).finish(t, job)
	requirePhase(t, job, v1alpha1.PhaseFailed, v1alpha1.ReasonFailed)
	requireError(t, job, sqlerr.InsufficientPrivilege, "permission denied")
	if undoneStatus(job) != "True" || s.look(t, d).Exists {
		t.Fatalf("the table is there: %s", show(job))
	}
	s.requireFiles(t, 0)
}
