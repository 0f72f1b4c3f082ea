package crds_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/k8s/crds"
)

func TestListHoldsEveryKind(t *testing.T) {
	var got []string
	for _, c := range list(t) {
		got = append(got, c.Name)
	}
	if diff := cmp.Diff([]string{v1alpha1.CRDProvisioners, v1alpha1.CRDTableProvisionJobs}, got); diff != "" {
		t.Fatalf("CRDs (-want +got):\n%s", diff)
	}
}

// Callers may change what they get.
func TestListReturnsCopies(t *testing.T) {
	list(t)[0].Spec.Group = "changed"
	if got := list(t)[0].Spec.Group; got != v1alpha1.Group {
		t.Fatalf("a changed copy changed the next one: group is %q", got)
	}
}

// The markers beside the Go types must come out as the rules that were tried
// against API servers, each of them and nothing else.
func TestTableProvisionJobDemandsWhatItMust(t *testing.T) {
	text, err := os.ReadFile("testdata/tableprovisionjob.yaml")
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	want := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(text, want); err != nil {
		t.Fatalf("parse: %v", err)
	}
	got := byName(t, v1alpha1.CRDTableProvisionJobs)
	for _, c := range []*apiextensionsv1.CustomResourceDefinition{want, got} {
		for i := range c.Spec.Versions {
			normalise(c.Spec.Versions[i].Schema.OpenAPIV3Schema)
		}
	}
	if diff := cmp.Diff(want.Spec, got.Spec); diff != "" {
		t.Fatalf("the generated CRD (-want +got):\n%s", diff)
	}
}

// Every text and list must have a bound, else a single object can fill the
// server, and rules in CEL cost too much to be accepted.
func TestEveryFieldIsBounded(t *testing.T) {
	for _, c := range list(t) {
		for _, v := range c.Spec.Versions {
			for _, part := range []string{"spec", "status"} {
				p := v.Schema.OpenAPIV3Schema.Properties[part]
				bounded(t, c.Name+" "+part, &p)
			}
		}
	}
}

func bounded(t *testing.T, path string, s *apiextensionsv1.JSONSchemaProps) {
	t.Helper()
	fixed := len(s.Enum) > 0 || s.Format == "date-time" ||
		strings.HasPrefix(s.Pattern, "^[0-9a-f]{8}-") || s.Pattern == "^[0-9A-Z]{5}$"
	if s.Type == "string" && s.MaxLength == nil && !fixed {
		t.Errorf("%s has no maxLength", path)
	}
	if s.Type == "array" {
		if s.MaxItems == nil {
			t.Errorf("%s has no maxItems", path)
		}
		if s.XListType == nil {
			t.Errorf("%s has no list type, so that an apply can not merge it", path)
		}
		bounded(t, path+"[]", s.Items.Schema)
	}
	if s.AdditionalProperties != nil || s.XPreserveUnknownFields != nil {
		t.Errorf("%s takes unknown fields", path)
	}
	for name := range s.Properties {
		p := s.Properties[name]
		bounded(t, path+"."+name, &p)
	}
}

// normalise removes what carries no rule: descriptions, and the order of
// required fields.
func normalise(s *apiextensionsv1.JSONSchemaProps) {
	s.Description = ""
	slices.Sort(s.Required)
	for name, p := range s.Properties {
		normalise(&p)
		s.Properties[name] = p
	}
	if s.Items != nil {
		normalise(s.Items.Schema)
	}
}

func list(t *testing.T) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	l, err := crds.List()
	if err != nil {
		t.Fatalf("List: %v", err)
	}
	return l
}

func byName(t *testing.T, name string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	for _, c := range list(t) {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no CRD %s", name)
	return nil
}
