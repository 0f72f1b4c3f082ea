package bind_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
)

// TestFilters: a condition is sent along only where every system finds at least the rows that home
// would.
func TestFilters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ, condition, want string // want: "op value", or nothing
	}{
		{"integer", "c = 5", "= 5"},
		{"integer", "5 > c", "< 5"},
		{"integer", "c <> -5", "<> -5"},
		{"integer", "c != 5", "<> 5"},
		{"integer", "c = '5'", "= 5"},
		{"integer", "c = 5.5", ""},
		{"integer", "c = 3000000000", ""},
		{"smallint", "c = 40000", ""},
		{"bigint", "c = 3000000000", "= 3000000000"},
		{"integer", "c = null", ""},
		{"integer", "c + 1 = 5", ""},
		{"integer", "c = 1 or c = 2", ""},
		{"integer", "not c = 1", ""},
		{"integer", "c % 2", ""},
		{"integer", "c in (1, 2)", ""},
		{"integer", "c = any ('{1}')", ""},
		{"integer", "c between 1 and 3", ">= 1, <= 3"},
		{"integer", "c not between 1 and 3", ""},
		{"numeric", "c > 1.555", "> 1.555"},
		{"numeric(10,2)", "c > 1.55", "> 1.55"},
		{"numeric(10,2)", "c > 1.555", ""},
		{"numeric(4,2)", "c > 100", ""},
		{"numeric(4,2)", "c > 0099.5", "> 0099.5"},
		{"real", "c > 1", ""},
		{"double precision", "c = 1", ""},
		{"text", "c = 'x'", "= x"},
		{"text", "c > 'x'", ""},
		{"text", "c <> 'x'", ""},
		{"text", "c like 'x%'", ""},
		{"text[]", "c = '{x}'", ""},
		{"character varying(3)", "c = 'toolong'", "= toolong"},
		{"character(3)", "c = 'x'", ""},
		{"boolean", "c = true", "= t"},
		{"boolean", "c = 'false'", "= f"},
		{"boolean", "c = 'off'", ""},
		{"boolean", "c", ""},
		{"date", "c >= '2024-01-02'", ">= 2024-01-02"},
		{"date", "c >= '02/01/2024'", ""},
		{"date", "c >= 'today'", ""},
		{"date", "c >= date '2024-01-02'", ""},
		{"timestamp without time zone", "c < '2024-01-02T03:04:05.5'", "< 2024-01-02 03:04:05.5"},
		{"timestamp without time zone", "c < '2024-01-02 03:04:05+02'", ""},
		{"timestamp(3) without time zone", "c < '2024-01-02 03:04:05.123'", "< 2024-01-02 03:04:05.123"},
		{"timestamp(3) without time zone", "c < '2024-01-02 03:04:05.1234'", ""},
		{"timestamp with time zone", "c < '2024-01-02 03:04:05'", ""},
		{"timestamp with time zone", "c < '2024-01-02T03:04:05Z'", "< 2024-01-02 03:04:05+00"},
		{"timestamp(3) with time zone", "c < '2024-01-02 03:04:05.123+05:30'", "< 2024-01-02 03:04:05.123+05:30"},
		{"timestamp(3) with time zone", "c < '2024-01-02 03:04:05.1234+05:30'", ""},
		{"uuid", "c = '0198F0AA-1111-7000-8000-000000000000'", "= 0198f0aa-1111-7000-8000-000000000000"},
		{"uuid", "c < '0198f0aa-1111-7000-8000-000000000000'", ""},
		{"jsonb", "c = '{}'", ""},
		{"interval", "c = '1 day'", ""},
	} {
		got := ""
		for _, f := range filtersOf(t, c.typ, c.condition) {
			if got != "" {
				got += ", "
			}
			got += f.Op + " " + f.Value
		}
		if got != c.want {
			t.Errorf("%s column, %s: filter %q, want %q", c.typ, c.condition, got, c.want)
		}
	}
}

func filtersOf(t *testing.T, typ, condition string) []bind.Filter {
	t.Helper()
	snap := world()
	rel := snap.Relations[catalog.HomeKey("kafka", "orders")]
	rel.Table = catalog.Table{Columns: []catalog.Column{{Name: "c", Type: typ}}}
	snap.Relations[catalog.HomeKey("kafka", "orders")] = rel
	statements, err := parse.Split("select * from kafka.orders where " + condition)
	if err != nil {
		t.Fatal(err)
	}
	read, err := bind.ReadPlan(&statements[0], snap, nil)
	if err != nil {
		t.Fatalf("%s: %v", condition, err)
	}
	return read.Filters
}

// TestParameters: the value decides whether a parameter is sent along.
func TestParameters(t *testing.T) {
	t.Parallel()
	type answer struct {
		Text string
		OK   bool
	}
	for _, c := range []struct {
		typ, value string
		want       answer
	}{
		{"integer", "5", answer{"5", true}},
		{"integer", "3000000000", answer{"3000000000", false}},
		{"bigint", "9007199254740993", answer{"9007199254740993", false}},
		{"integer", " 5", answer{" 5", false}},
		{"text", "x", answer{"x", true}},
		{"text", "x ", answer{"x ", false}},
		{"boolean", "true", answer{"t", true}},
		{"timestamp with time zone", "2024-01-02 03:04:05", answer{"2024-01-02 03:04:05", false}},
		{"timestamp with time zone", "2024-01-02 03:04:05+00", answer{"2024-01-02 03:04:05+00", true}},
		{"date", "infinity", answer{"infinity", false}},
	} {
		filters := filtersOf(t, c.typ, "c = $1")
		if len(filters) != 1 || filters[0].Param != 1 {
			t.Fatalf("%s: filters %v", c.typ, filters)
		}
		text, ok := filters[0].Text(c.value)
		if diff := cmp.Diff(c.want, answer{text, ok}); diff != "" {
			t.Errorf("%s column, %q (-want +got):\n%s", c.typ, c.value, diff)
		}
	}
	if filters := filtersOf(t, "numeric", "c = $1"); len(filters) != 0 {
		t.Errorf("numeric: filters %v", filters)
	}
}
