package v1alpha1

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	jobA = "0190f5c2-a7b4-7c3e-9d1f-2a3b4c5d6e7f"
	jobB = "0190f5c2-a7b4-7c3e-9d1f-2a3b4c5d6e80"
)

func TestJobName(t *testing.T) {
	cases := map[string]struct {
		reason string
		path   []string
		want   string // without `-` and the job id
	}{
		"plain":          {"a plain path is spelt out", []string{"sales", "orders"}, "sales-orders"},
		"just fits":      {"26 bytes are left beside a job id", []string{"abcdefghijklm", "nopqrstuvwxy"}, "abcdefghijklm-nopqrstuvwxy"},
		"underscore":     {"what a name can not hold is a dash, and a hash keeps it apart", []string{"page_views"}, "page-views-o84ticti"},
		"upper case":     {"letters are lowered, and a hash keeps it apart", []string{"Foo"}, "foo-7bpabhcg"},
		"long":           {"leading parts go first", []string{"a_very_long_schema", "orders"}, "orders-k06cson5"},
		"very long":      {"then the last part is cut", []string{strings.Repeat("x", 80)}, "xxxxxxxxxxxxxxxxx-n1bde9bb"},
		"cut at a dash":  {"a cut slug does not end with a dash", []string{strings.Repeat("x", 16) + "_y"}, "xxxxxxxxxxxxxxxx-3fpotcsa"},
		"only symbols":   {"nothing readable is left", []string{"$$", "_"}, "lursdrab"},
		"no ASCII":       {"nothing readable is left", []string{"表"}, "jide3a7a"},
		"empty path":     {"never an invalid name", nil, "seoc8gko"},
		"dot in a part":  {"one identifier with a dot is not two parts", []string{"my.event"}, "my-event-275pvp86"},
		"dash in a part": {"nor is one with a dash", []string{"my-event"}, "my-event-fpfvj2ib"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := JobName(c.path, jobA)
			if diff := cmp.Diff(c.want+"-"+jobA, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
			if problems := validation.IsDNS1123Label(got); len(problems) > 0 {
				t.Errorf("%q is no DNS-1123 label: %v", got, problems)
			}
			if id, ok := JobIDOf(got); !ok || id != jobA {
				t.Errorf("JobIDOf(%q) = %q, %v", got, id, ok)
			}
		})
	}
}

// D46 and D63: names that other tools let collide.
func TestJobNameIsInjective(t *testing.T) {
	paths := [][]string{
		{"ads", "A$B"},
		{"ads", "A-B"},
		{"ads", "a-b"},
		{"ads", "a", "b"},
		{"ads-a", "b"},
		{"foo_bar"},
		{"foobar"},
		{"foo-bar"},
		{"foo", "bar"},
		{"Foo"},
		{"foo"},
		{"foo "},
		{"föo"},
		{"logical", "m"},
		{"logical2", "m"},
		{"my.event"},
		{"my", "event"},
		{"", "x"},
		{"x", ""},
		{"x"},
		{strings.Repeat("a", 40) + "1"},
		{strings.Repeat("a", 40) + "2"},
		{strings.Repeat("s", 40), "t"},
		{strings.Repeat("r", 40), "t"},
		{},
		{""},
	}
	seen := map[string][]string{}
	for _, id := range []string{jobA, jobB} {
		for _, p := range paths {
			n := JobName(p, id)
			if other, dup := seen[n]; dup {
				t.Errorf("%q and %q are both called %s", p, other, n)
			}
			seen[n] = p
		}
	}
}

func TestJobIDOfRefusesOtherNames(t *testing.T) {
	for _, n := range []string{
		"", "orders", jobA, "-" + jobA, "orders" + jobA, "orders-" + jobA[:35], "orders-" + jobA + "-x",
		"orders-" + strings.ToUpper(jobA), "orders-" + strings.ReplaceAll(jobA, "-", "a"),
	} {
		if id, ok := JobIDOf(n); ok {
			t.Errorf("JobIDOf(%q) = %q, want none", n, id)
		}
	}
}

func TestProvisionerName(t *testing.T) {
	seen := map[string]string{}
	for _, c := range []string{
		"tablewright.dev/iceberg", "tablewright.dev/Iceberg", "tablewright.dev/iceberg.x", "iceberg.tablewright.dev/x",
		"tablewright/dev.iceberg", "a/b_c", "a/b-c", strings.Repeat("d.", 120) + "d/" + strings.Repeat("n", 63),
	} {
		n := ProvisionerName(c)
		if problems := validation.IsDNS1123Label(n); len(problems) > 0 {
			t.Errorf("name of %q, %q, is no DNS-1123 label: %v", c, n, problems)
		}
		if other, dup := seen[n]; dup {
			t.Errorf("%q and %q are both called %s", c, other, n)
		}
		seen[n] = c
	}
}

// D7: a value cut at 63 characters must still end with a letter or digit.
func TestLabelValue(t *testing.T) {
	cases := map[string]struct{ in, want string }{
		"plain":                       {"lake.sales.orders", "lake.sales.orders"},
		"empty":                       {"", ""},
		"cut before an underscore":    {strings.Repeat("a", 62) + "_b", strings.Repeat("a", 62)},
		"cut within many underscores": {strings.Repeat("a", 50) + strings.Repeat("_", 20), strings.Repeat("a", 50)},
		"leading symbols":             {"__.-a", "a"},
		"leading symbols are no room": {strings.Repeat(`"`, 70) + "orders", "orders"},
		"quoted":                      {`lake."My Table"`, "lake._My_Table"},
		"only symbols":                {"$$", ""},
		"not ASCII":                   {"aéb", "a_b"},
		"not UTF-8":                   {"a\xff\xfeb", "a__b"},
		"exactly 63":                  {strings.Repeat("a", 63), strings.Repeat("a", 63)},
		"64":                          {strings.Repeat("a", 64), strings.Repeat("a", 63)},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := LabelValue(c.in)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("LabelValue(%q) (-want +got):\n%s", c.in, diff)
			}
			if problems := validation.IsValidLabelValue(got); len(problems) > 0 {
				t.Errorf("%q is no label value: %v", got, problems)
			}
		})
	}
}

func FuzzNames(f *testing.F) {
	for _, s := range []string{"", "A$B", "a-b", "my.event", strings.Repeat("_", 70), "\xff", "--", "a\x00b"} {
		f.Add(s, "t")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		n := JobName([]string{a, b}, jobA)
		if problems := validation.IsDNS1123Label(n); len(problems) > 0 {
			t.Errorf("JobName(%q, %q) = %q: %v", a, b, n, problems)
		}
		if v := LabelValue(a); len(validation.IsValidLabelValue(v)) > 0 {
			t.Errorf("LabelValue(%q) = %q", a, v)
		}
	})
}
