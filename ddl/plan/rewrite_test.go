package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tablewright/tablewright/ddl/plan"
)

// TestOriginalOffset: every offset of the edited text leads to the place that it came from.
func TestOriginalOffset(t *testing.T) {
	t.Parallel()
	const original = "drop table lake.sales.orders, t cascade"
	rw := plan.NewRewrite(original, []plan.Edit{
		{Start: 30, End: 31, Text: `"x".t`},
		{Start: 11, End: 28, Text: `"lake.sales".orders`},
		{Start: 31, End: 39},
	})
	const want = `drop table "lake.sales".orders, "x".t`
	if rw.Text() != want || rw.Original() != original {
		t.Fatalf("text %q of %q", rw.Text(), rw.Original())
	}
	got := map[string]int{}
	for name, offset := range map[string]int{
		"start": 0, "name": 11, "in the name": 20, "comma": 30, "second name": 32, "in the second": 35, "end": 37, "beyond": 99,
	} {
		got[name] = rw.OriginalOffset(offset)
	}
	if diff := cmp.Diff(map[string]int{
		"start": 0, "name": 11, "in the name": 11, "comma": 28, "second name": 30, "in the second": 30, "end": 39, "beyond": 39,
	}, got); diff != "" {
		t.Fatalf("offsets (-want +got):\n%s", diff)
	}
}
