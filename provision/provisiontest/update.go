package provisiontest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// mustUpdate converges the table and checks that it keeps its identity and rows.
func (b *bench) mustUpdate(r plan.Resource) provision.Observation {
	b.Helper()
	before := b.mustObserve(r)
	if before.UpToDate || len(before.Diff) == 0 {
		b.Fatalf("%s is up to date already", r.Name)
	}
	if err := b.Update(b.ctx(), r, before, provision.Call{}); err != nil {
		b.Fatalf("update %s: %v", r.Name, describe(err))
	}
	after := b.mustObserve(r)
	if !after.UpToDate {
		b.Fatalf("%s is not up to date after update: %v", r.Name, after.Diff)
	}
	if after.Identity != before.Identity {
		b.Fatalf("update changed the identity from %s to %s", before.Identity, after.Identity)
	}
	if err := b.Update(b.ctx(), r, after, provision.Call{}); err != nil {
		b.Fatalf("update %s repeated: %v", r.Name, describe(err))
	}
	return after
}

func testUpdate(t *testing.T, c Config) {
	b := open(t, c)
	r := b.resource("grows", catalog.Column{Name: "id", Type: "integer", NotNull: true}, column("note", "text"))
	b.mustCreate(r)
	b.mustWrite(r, r.Table.Columns, [][][]byte{row("1", "first")})
	r.Table.Columns = []catalog.Column{
		{Name: "id", Type: "bigint", Comment: "key"}, column("note", "text"), {Name: "added", Type: "numeric(10,2)", Comment: "new"},
	}
	r.Table.Comment = "it grew"
	if o := b.mustObserve(r); o.Destructive {
		t.Fatalf("harmless differences are called destructive: %v", o.Diff)
	}
	after := b.mustUpdate(r)
	if d := cmp.Diff(r.Table.Columns, after.Found.Columns); d != "" {
		t.Fatalf("columns (-want +got):\n%s", d)
	}
	b.mustWrite(r, r.Table.Columns, [][][]byte{row("5000000000", "second", "1.50")})
	want := rowsOf([][][]byte{row("1", "first", null), row("5000000000", "second", "1.50")})
	b.sameRows("after update", want, b.scan(provision.ScanRequest{Resource: r, Columns: r.Table.Columns}))
}

func testUpdateDestructive(t *testing.T, c Config) {
	b := open(t, c)
	r := b.orders()
	b.mustCreate(r)
	b.mustWrite(r, r.Table.Columns, [][][]byte{row("1", "gone")})
	less := r
	less.Table.Columns = r.Table.Columns[:1]
	seen := b.mustObserve(less)
	if !seen.Destructive || len(seen.Diff) != 1 {
		t.Fatalf("a column too many is observed as %+v", seen)
	}
	unseen := seen
	unseen.Diff = nil
	b.mustFail("update that destroys what nobody saw", b.Update(b.ctx(), less, unseen, provision.Call{}), sqlerr.ObjectInUse)
	b.sameRows("after the refused update", rowsOf([][][]byte{row("1", "gone")}),
		b.scan(provision.ScanRequest{Resource: r, Columns: r.Table.Columns}))
	b.mustUpdate(less)
	b.sameRows("after the update", rowsOf([][][]byte{row("1")}),
		b.scan(provision.ScanRequest{Resource: less, Columns: less.Table.Columns}))
	absent := b.resource("absent", column("n", "integer"))
	b.mustFail("update of an absent table", b.Update(b.ctx(), absent, provision.Observation{}, provision.Call{}), sqlerr.UndefinedTable)
}
