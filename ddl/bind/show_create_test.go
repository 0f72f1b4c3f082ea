package bind_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
)

// TestShowCreateRoundTrip: what SHOW CREATE TABLE prints of every table of the golden cases compiles to the same
// definition.
func TestShowCreateRoundTrip(t *testing.T) {
	t.Parallel()
	tables := 0
	datadriven.Walk(t, "testdata/golden", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			statements, err := parse.Split(d.Input)
			if err != nil || d.Cmd != "compile" {
				return d.Expected
			}
			for i := range statements {
				p, err := bind.Compile(&statements[i], world(), systems(), bind.Settings{})
				if err != nil {
					continue
				}
				for _, step := range p.Steps {
					if step.Action == plan.Create && step.Target.Kind == plan.TableKind {
						tables++
						roundTrip(t, step)
					}
				}
			}
			return d.Expected
		})
	})
	if tables < 10 {
		t.Errorf("only %d tables were made", tables)
	}
}

func roundTrip(t *testing.T, step plan.Step) {
	t.Helper()
	rel := catalog.Relation{Table: step.Target.Table, Path: step.Target.Path, Catalog: step.Catalog.Name, Managed: true}
	rel.Table.Name = step.Target.Name
	text := bind.CreateTableText(step.Catalog, rel, func(path []string) catalog.Name {
		for _, r := range world().Relations {
			if r.Catalog == step.Catalog.Name && slices.Equal(r.Path, path) {
				name := catalog.Name{Catalog: r.Catalog, Table: r.HomeName}
				name.Schema = strings.TrimPrefix(r.HomeSchema, r.Catalog+".")
				return name
			}
		}
		return catalog.Name{}
	})
	statements, err := parse.Split(text)
	if err != nil {
		t.Errorf("%s\ndoes not parse: %v", text, err)
		return
	}
	p, err := bind.Compile(&statements[0], world(), systems(), bind.Settings{})
	if err != nil {
		t.Errorf("%s\ndoes not compile: %v", text, err)
		return
	}
	if len(p.Steps) == 0 {
		t.Errorf("%s\nmakes nothing", text)
		return
	}
	again := p.Steps[len(p.Steps)-1].Target
	// Comments are statements behind it.
	ignored := cmpopts.IgnoreFields(catalog.Column{}, "Comment")
	if diff := cmp.Diff(step.Target.Table, again.Table, cmpopts.EquateEmpty(), ignored); diff != "" {
		t.Errorf("%s\nis another table (-want +got):\n%s", text, diff)
	}
	if diff := cmp.Diff(step.Target.Path, again.Path); diff != "" {
		t.Errorf("%s\nhas another path (-want +got):\n%s", text, diff)
	}
}

// TestShowCreateCatalog: literal secrets are masked, references are not.
func TestShowCreateCatalog(t *testing.T) {
	t.Parallel()
	cat := catalog.Catalog{Name: "Odd", Type: "kafka", Options: catalog.Options{
		{Name: "bootstrap_servers", Value: "it's"},
		{Name: "sasl_password", SecretRef: &catalog.SecretKeyRef{Name: "catalog-odd-1", Key: "sasl_password"}},
		{Name: "sasl_key", Reference: "env:KEY"},
	}}
	got := bind.CreateCatalogText(cat, "of the shop")
	want := `CREATE CATALOG "Odd" COMMENT 'of the shop'
WITH (
  type = 'kafka',
  bootstrap_servers = 'it''s',
  sasl_password = '***',
  sasl_key = 'env:KEY'
);`
	if got != want {
		t.Errorf("shown as\n%s\nwant\n%s", got, want)
	}
	if _, err := parse.Split(got); err != nil {
		t.Errorf("%s\ndoes not parse: %v", got, err)
	}
}
