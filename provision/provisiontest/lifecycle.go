package provisiontest

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// recorder notes the steps that a call reports.
type recorder struct {
	begun, done []string
}

func (r *recorder) call() provision.Call {
	return provision.Call{Report: func(step string, done bool) {
		if done {
			r.done = append(r.done, step)
			return
		}
		r.begun = append(r.begun, step)
	}}
}

// check compares what was reported with what Steps promised.
func (r *recorder) check(t *testing.T, what string, want []string) {
	t.Helper()
	if d := cmp.Diff(want, r.begun); d != "" {
		t.Fatalf("%s: steps begun differ from Steps (-want +got):\n%s", what, d)
	}
	if d := cmp.Diff(want, r.done); d != "" {
		t.Fatalf("%s: steps done differ from Steps (-want +got):\n%s", what, d)
	}
}

func testSchemaLifecycle(t *testing.T, c Config) {
	b := open(t, c)
	r := b.schemaResource("fresh")
	b.mustBeAbsent(r)
	if err := b.Delete(b.ctx(), r, provision.Call{}); err != nil {
		t.Fatalf("delete of an absent schema: %v", describe(err))
	}
	var steps recorder
	made, err := b.Create(b.ctx(), r, steps.call())
	if err != nil {
		t.Fatalf("create schema: %v", describe(err))
	}
	steps.check(t, "create schema", b.Steps(plan.Create, r))
	if seen := b.mustObserve(r); !seen.Exists || !seen.UpToDate || seen.Identity != made.Identity {
		t.Fatalf("schema is observed as %+v, made as %+v", seen, made)
	}
	_, err = b.Create(b.ctx(), b.schemaResource("fresh"), provision.Call{})
	b.mustFail("create of a schema that exists", err, sqlerr.DuplicateSchema)
	again := r
	again.Identity = made.Identity
	if _, err := b.Create(b.ctx(), again, provision.Call{}); err != nil {
		t.Fatalf("create of the own schema repeated: %v", describe(err))
	}
	b.schema = "fresh"
	b.mustCreate(b.orders())
	b.mustFail("delete of a schema with a table", b.Delete(b.ctx(), again, provision.Call{}), sqlerr.DependentObjectsStillExist)
	if err := b.Delete(b.ctx(), b.orders(), provision.Call{}); err != nil {
		t.Fatalf("delete table: %v", describe(err))
	}
	steps = recorder{}
	if err := b.Delete(b.ctx(), again, steps.call()); err != nil {
		t.Fatalf("delete schema: %v", describe(err))
	}
	steps.check(t, "delete schema", b.Steps(plan.Drop, r))
	b.mustBeAbsent(r)
	_, err = b.Create(b.ctx(), b.orders(), provision.Call{})
	b.mustFail("create table in a schema that does not exist", err, sqlerr.InvalidSchemaName)
	b.mustBeAbsent(b.orders())
}

func testTableLifecycle(t *testing.T, c Config) {
	b := open(t, c)
	r := b.orders()
	r.Table.Comment = "orders that came in"
	r.Table.Columns[1].Comment = "it's free text"
	b.mustBeAbsent(r)
	if err := b.Delete(b.ctx(), r, provision.Call{}); err != nil {
		t.Fatalf("delete of an absent table: %v", describe(err))
	}
	var steps recorder
	made, err := b.Create(b.ctx(), r, steps.call())
	if err != nil {
		t.Fatalf("create: %v", describe(err))
	}
	steps.check(t, "create", b.Steps(plan.Create, r))
	seen := b.mustObserve(r)
	if d := cmp.Diff(made, seen); d != "" {
		t.Fatalf("Create and Observe disagree (-create +observe):\n%s", d)
	}
	if !seen.UpToDate || len(seen.Diff) > 0 || seen.Destructive {
		t.Fatalf("a fresh table is not up to date: %v", seen.Diff)
	}
	if d := cmp.Diff(r.Table.Columns, seen.Found.Columns); d != "" {
		t.Fatalf("columns (-want +got):\n%s", d)
	}
	if err := b.Update(b.ctx(), r, seen, provision.Call{}); err != nil {
		t.Fatalf("update without a difference: %v", describe(err))
	}
	r.Identity = made.Identity
	steps = recorder{}
	if err := b.Delete(b.ctx(), r, steps.call()); err != nil {
		t.Fatalf("delete: %v", describe(err))
	}
	steps.check(t, "delete", b.Steps(plan.Drop, r))
	b.mustBeAbsent(r)
	if err := b.Delete(b.ctx(), r, provision.Call{}); err != nil {
		t.Fatalf("delete repeated: %v", describe(err))
	}
	second := b.orders()
	if o := b.mustCreate(second); o.Identity == made.Identity {
		t.Fatalf("the second table has the first one's identity %s", o.Identity)
	}
}

func testStrangers(t *testing.T, c Config) {
	b := open(t, c)
	r := b.orders()
	if err := b.MakeTable(b.ctx(), r.Path); err != nil {
		t.Fatalf("a stranger's table: %v", err)
	}
	before := b.mustObserve(r)
	if !before.Exists || before.UpToDate || len(before.Diff) == 0 || before.JobID != "" {
		t.Fatalf("a stranger's table is observed as %+v", before)
	}
	marked := false
	_, err := b.Create(b.ctx(), r, provision.Call{Mark: func(context.Context, string) error { marked = true; return nil }})
	b.mustFail("create of a table that exists", err, sqlerr.DuplicateTable)
	r.Identity = "1:1"
	_, err = b.Create(b.ctx(), r, provision.Call{})
	b.mustFail("create of a table that exists, with another identity", err, sqlerr.DuplicateTable)
	if marked {
		t.Fatalf("the identity of a stranger's table was marked as the job's own")
	}
	r.Identity = ""
	if d := cmp.Diff(before, b.mustObserve(r)); d != "" {
		t.Fatalf("the stranger's table was touched (-before +after):\n%s", d)
	}
}

func testReplaced(t *testing.T, c Config) {
	b := open(t, c)
	r := b.orders()
	r.Identity = b.mustCreate(r).Identity
	if err := b.DropTable(b.ctx(), r.Path); err != nil {
		t.Fatal(err)
	}
	if err := b.MakeTable(b.ctx(), r.Path); err != nil {
		t.Fatal(err)
	}
	before := b.mustObserve(r)
	b.mustFail("delete of another table of the same name", b.Delete(b.ctx(), r, provision.Call{}), sqlerr.ObjectInUse)
	observed := before
	observed.Identity = r.Identity
	b.mustFail("update of another table of the same name", b.Update(b.ctx(), r, observed, provision.Call{}), sqlerr.ObjectInUse)
	if d := cmp.Diff(before, b.mustObserve(r)); d != "" {
		t.Fatalf("the other table was touched (-before +after):\n%s", d)
	}
	anyOf := r
	anyOf.Identity = ""
	if err := b.Delete(b.ctx(), anyOf, provision.Call{}); err != nil {
		t.Fatalf("delete of whichever table has the name: %v", describe(err))
	}
	b.mustBeAbsent(r)
}

func testCreateRepeated(t *testing.T, c Config) {
	b := open(t, c)
	r := b.orders()
	first := b.mustCreate(r)
	b.mustWrite(r, r.Table.Columns, [][][]byte{row("1", "kept")})
	again := r
	again.Identity = first.Identity
	if second := b.mustCreate(again); second.Identity != first.Identity {
		t.Fatalf("create repeated made %s beside %s", second.Identity, first.Identity)
	}
	if c.JobMark {
		if first.JobID != r.JobID {
			t.Fatalf("the table bears job %q, made by %q", first.JobID, r.JobID)
		}
		if second := b.mustCreate(r); second.Identity != first.Identity {
			t.Fatalf("create repeated by its job made %s beside %s", second.Identity, first.Identity)
		}
	}
	other := b.orders()
	_, err := b.Create(b.ctx(), other, provision.Call{})
	b.mustFail("create by another job", err, sqlerr.DuplicateTable)
	want := [][]*string{texts(row("1", "kept"))}
	b.sameRows("after create was repeated", want, b.scan(provision.ScanRequest{Resource: r, Columns: r.Table.Columns}))
}
