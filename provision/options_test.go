package provision_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

func code(err error) string {
	e, ok := errors.AsType[*sqlerr.Error](err)
	if !ok {
		return ""
	}
	return e.Code
}

func TestCheckOptions(t *testing.T) {
	specs := append([]catalog.OptionSpec{
		{Name: "host", Type: catalog.StringOption, Required: true},
		{Name: "port", Type: catalog.IntegerOption},
		{Name: "tls", Type: catalog.BooleanOption},
		{Name: "pin", Type: catalog.IntegerOption, Secret: true},
	}, provision.CommonCatalogOptions()...)
	host := catalog.Option{Name: "host", Value: "h"}
	tests := []struct {
		option catalog.Option
		good   bool
	}{
		{catalog.Option{Name: "port", Value: "5432"}, true},
		{catalog.Option{Name: "port", Value: "x"}, false},
		{catalog.Option{Name: "port", Reference: "env:PORT"}, true},
		{catalog.Option{Name: "tls", Value: "ON"}, true},
		{catalog.Option{Name: "tls", Value: "maybe"}, false},
		{catalog.Option{Name: "pin", Value: "sesame"}, false},
		{catalog.Option{Name: "deadline", Value: "5s"}, true},
		{catalog.Option{Name: "deadline", Value: "soon"}, false},
		{catalog.Option{Name: "provisioning", Value: "job"}, true},
		{catalog.Option{Name: "provisioning", Value: "later"}, false},
		{catalog.Option{Name: "Port", Value: "1"}, false},
	}
	for _, test := range tests {
		err := provision.CheckOptions("catalog c", specs, catalog.Options{host, test.option})
		if test.good && err != nil {
			t.Errorf("%+v: %v", test.option, err)
		}
		if !test.good && code(err) != sqlerr.InvalidParameterValue {
			t.Errorf("%+v: %v, want 22023", test.option, err)
		}
		if err != nil && strings.Contains(err.Error(), "sesame") {
			t.Errorf("a secret's value is in an error: %v", err)
		}
	}
	if err := provision.CheckOptions("catalog c", specs, nil); code(err) != sqlerr.InvalidParameterValue {
		t.Errorf("a required option is missing: %v", err)
	}
}

type resolver struct{ err error }

func (r resolver) Resolve(context.Context, catalog.Option) (string, error) { return "resolved", r.err }

func TestOptionValue(t *testing.T) {
	options := catalog.Options{{Name: "plain", Value: "v"}, {Name: "ref", Reference: "env:X"}, {Name: "secret", SecretRef: &catalog.SecretKeyRef{}}}
	tests := []struct {
		name     string
		resolver provision.SecretResolver
		want     string
		code     string
	}{
		{"plain", nil, "v", ""},
		{"absent", nil, "fallback", ""},
		{"ref", resolver{}, "resolved", ""},
		{"secret", resolver{}, "resolved", ""},
		{"ref", nil, "", sqlerr.InvalidParameterValue},
		{"ref", resolver{errors.New("no")}, "", sqlerr.InvalidParameterValue},
		{"ref", resolver{sqlerr.New(sqlerr.InsufficientPrivilege, "no")}, "", sqlerr.InsufficientPrivilege},
	}
	for _, test := range tests {
		got, err := provision.OptionValue(t.Context(), options, test.name, "fallback", test.resolver)
		if got != test.want || code(err) != test.code {
			t.Errorf("%s: %q, %v, want %q and code %q", test.name, got, err, test.want, test.code)
		}
	}
}

func TestParseDuration(t *testing.T) {
	good := map[string]time.Duration{
		"0": 0, "250": 250 * time.Millisecond, "500ms": 500 * time.Millisecond, "5s": 5 * time.Second, "2 min": 2 * time.Minute, "1h": time.Hour,
	}
	for text, want := range good {
		if got, err := provision.ParseDuration(text); err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "s", "-1s", "1.5s", "5m", "5 parsecs", "9223372036854775807h", "1s2"} {
		if _, err := provision.ParseDuration(text); code(err) != sqlerr.InvalidParameterValue {
			t.Errorf("%q is accepted: %v", text, err)
		}
	}
}

func TestLayeredPath(t *testing.T) {
	name := catalog.Name{Catalog: "c", Schema: "s", Table: "t"}
	tests := []struct {
		resource      plan.Resource
		schema, table string
		code          string
	}{
		{plan.Resource{Kind: plan.TableKind, Name: name}, "s", "t", ""},
		{plan.Resource{Kind: plan.TableKind, Name: name, Path: []string{"other", "Name"}}, "other", "Name", ""},
		{plan.Resource{Kind: plan.TableKind, Path: []string{"t"}}, "public", "t", ""},
		{plan.Resource{Kind: plan.SchemaKind, Path: []string{"s"}}, "s", "", ""},
		{plan.Resource{Kind: plan.SchemaKind, Path: []string{"s", "t"}}, "", "", sqlerr.InvalidParameterValue},
		{plan.Resource{Kind: plan.TableKind, Path: []string{"a", "b", "c"}}, "", "", sqlerr.InvalidParameterValue},
		{plan.Resource{Kind: plan.CatalogKind}, "", "", sqlerr.InvalidParameterValue},
		{plan.Resource{Kind: plan.TableKind, Path: []string{"", "t"}}, "", "", sqlerr.InvalidName},
		{plan.Resource{Kind: plan.TableKind, Path: []string{"s", "a\x00b"}}, "", "", sqlerr.InvalidName},
	}
	for _, test := range tests {
		schema, table, err := provision.LayeredPath(test.resource, "public")
		if schema != test.schema || table != test.table || code(err) != test.code {
			t.Errorf("%+v: %q, %q, %v", test.resource, schema, table, err)
		}
	}
}
