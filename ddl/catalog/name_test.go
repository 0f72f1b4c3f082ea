package catalog_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
)

func TestNames(t *testing.T) {
	t.Parallel()
	type forms struct{ SQL, Home string }
	got := map[string]forms{}
	for name, n := range map[string]catalog.Name{
		"flat":    {Catalog: "kafka", Table: "orders"},
		"layered": {Catalog: "lake", Schema: "sales", Table: "orders"},
		"schema":  {Catalog: "lake", Schema: "sales"},
		"catalog": {Catalog: "kafka"},
		"quoted":  {Catalog: "Lake", Schema: "a.b", Table: `o"r`},
		"keyword": {Catalog: "lake", Schema: "user", Table: "table"},
	} {
		got[name] = forms{n.String(), n.HomeString()}
	}
	want := map[string]forms{
		"flat":    {"kafka.orders", "kafka.orders"},
		"layered": {"lake.sales.orders", `"lake.sales".orders`},
		"schema":  {"lake.sales", `"lake.sales"`},
		"catalog": {"kafka", "kafka"},
		"quoted":  {`"Lake"."a.b"."o""r"`, `"Lake.a.b"."o""r"`},
		"keyword": {`lake."user"."table"`, `"lake.user"."table"`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("names (-want +got):\n%s", diff)
	}
}

// TestQuoted: what is quoted is read back as it was.
func TestQuoted(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"plain", "Upper", "it's", `back\slash`, `both'\`, "new\nline", "ä", `"`, "select", "a.b", "$1", "1a"} {
		sql := "SELECT " + catalog.QuoteLiteral(text) + " AS " + catalog.QuoteIdent(text)
		tree, err := pg_query.Parse(sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		target := tree.GetStmts()[0].GetStmt().GetSelectStmt().GetTargetList()[0].GetResTarget()
		if target.GetName() != text || target.GetVal().GetAConst().GetSval().GetSval() != text {
			t.Errorf("%s reads %q and %q", sql, target.GetName(), target.GetVal().GetAConst().GetSval().GetSval())
		}
	}
}

// TestSecretName: a name of a Kubernetes object, and never the same for two catalogs.
func TestSecretName(t *testing.T) {
	t.Parallel()
	valid := regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	seen := map[string]string{}
	for _, name := range []string{
		"kafka", "Kafka", "ka_fka", "ka-fka", "ka$fka", "ä", "--", "a", strings.Repeat("x", 63), strings.Repeat("x", 62),
	} {
		secret := catalog.SecretName(name)
		if !valid.MatchString(secret) || len(secret) > 63 {
			t.Errorf("secret of %q is called %q", name, secret)
		}
		if other, twice := seen[secret]; twice {
			t.Errorf("%q and %q share secret %q", name, other, secret)
		}
		seen[secret] = name
	}
}
