package bind_test

import (
	"strings"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// world is the catalogue that the tests speak of.
func world(searchPath ...string) *catalog.Snapshot {
	if len(searchPath) == 0 {
		searchPath = []string{"public"}
	}
	snap := &catalog.Snapshot{
		Database: "tablewright", User: "alice", SearchPath: searchPath,
		Catalogs: map[string]catalog.Catalog{
			"pg":    {Name: "pg", Type: "postgres", OID: 11, Generation: 1},
			"my":    {Name: "my", Type: "mysql", OID: 12, Options: catalog.Options{{Name: "default_schema", Value: "app"}}},
			"lake":  {Name: "lake", Type: "iceberg", OID: 13, Options: catalog.Options{{Name: "provisioning", Value: "job"}}},
			"kafka": {Name: "kafka", Type: "kafka", OID: 14, Options: catalog.Options{{Name: "sasl_password", SecretRef: &catalog.SecretKeyRef{Name: catalog.SecretName("kafka"), Key: "sasl_password"}}}},
		},
		Schemas:   map[string]catalog.Schema{},
		Relations: map[string]catalog.Relation{},
		Types: map[string]catalog.TypeInfo{
			"mood": {Name: "mood", Kind: 'e'}, `"My Type"`: {Name: `"My Type"`, Kind: 'd', Base: "text"}, `public."My Type"`: {Name: `"My Type"`, Kind: 'd', Base: "text"},
		},
	}
	for i, s := range []catalog.Schema{
		{Name: "public"},
		{Name: "pg.public", Catalog: "pg"},
		{Name: "pg.sales", Catalog: "pg"},
		{Name: "my.app", Catalog: "my"},
		{Name: "lake.sales", Catalog: "lake"},
		{Name: "lake.empty", Catalog: "lake"},
		{Name: "lake.mine", Catalog: "lake"},
		{Name: "kafka", Catalog: "kafka"},
	} {
		s.OID = uint32(100 + i)
		snap.Schemas[s.Name] = s
	}
	orders := catalog.Table{
		Columns: []catalog.Column{
			{Name: "id", Type: "bigint", NotNull: true},
			{Name: "amount", Type: "numeric(10,2)", Default: "0"},
			{Name: "note", Type: "text", Comment: "free"},
			{Name: "made", Type: "timestamp with time zone", Default: "now()", NotNull: true},
		},
		PrimaryKey: []string{"id"}, KeyName: "orders_pkey",
		Constraints: []catalog.Constraint{
			{Name: "orders_amount_check", Kind: catalog.Check, Definition: "CHECK (amount > 0)"},
			{Name: "orders_note_key", Kind: catalog.Unique, Definition: "UNIQUE (note)"},
		},
	}
	for _, r := range []catalog.Relation{
		{HomeSchema: "public", HomeName: "t", Table: orders},
		{HomeSchema: "pg.sales", HomeName: "customers", Managed: true, Catalog: "pg", Path: []string{"sales", "Customers"}, Identity: "oid:7", State: "ready", Table: orders},
		{HomeSchema: "pg.public", HomeName: "orders", Managed: true, Catalog: "pg", Path: []string{"public", "orders"}, Identity: "oid:8", State: "ready", Table: orders},
		{HomeSchema: "lake.sales", HomeName: "orders", Managed: true, Catalog: "lake", Path: []string{"sales", "orders"}, Identity: "uuid-1", State: "ready", Table: orders},
		{HomeSchema: "lake.sales", HomeName: "busy", Managed: true, Catalog: "lake", State: "provisioning", JobID: "j1"},
		{HomeSchema: "lake.sales", HomeName: "broken", Managed: true, Catalog: "lake", State: "failed", JobID: "j2"},
		{HomeSchema: "lake.sales", HomeName: "going", Managed: true, Catalog: "lake", State: "dropping", JobID: "j3"},
		{HomeSchema: "lake.mine", HomeName: "a", Managed: true, Catalog: "lake", State: "ready", Identity: "uuid-2"},
		{HomeSchema: "lake.mine", HomeName: "b", Managed: true, Catalog: "lake", State: "ready", Identity: "uuid-3"},
		{HomeSchema: "kafka", HomeName: "orders", Managed: true, Catalog: "kafka", Path: []string{"orders"}, Identity: "topic-1", State: "ready", Table: orders},
		{HomeSchema: "kafka", HomeName: "sized", Managed: true, Catalog: "kafka", State: "ready", Table: catalog.Table{Columns: []catalog.Column{
			{Name: "a", Type: "character varying(3)"},
			{Name: "b", Type: "character(3)"},
			{Name: "c", Type: "bit(3)"},
			{Name: "d", Type: "bit varying(3)"},
			{Name: "e", Type: "character varying(3)[]"},
			{Name: "f", Type: "integer", Default: "7"},
			{Name: "g", Type: "bigint", NotNull: true, Identity: "BY DEFAULT"},
		}}},
		{HomeSchema: "my.app", HomeName: "seen", Managed: true, Observed: true, Catalog: "my", State: "ready", Identity: "m1", Table: orders},
	} {
		if r.Kind == 0 {
			r.Kind = 'r'
		}
		snap.Relations[catalog.HomeKey(r.HomeSchema, r.HomeName)] = r
	}
	return snap
}

// system is a type of catalog that refuses what it is told to.
type system struct {
	schema  catalog.OptionSchema
	refuses func(plan.Resource) error
}

func (s system) Options() catalog.OptionSchema { return s.schema }

func (s system) Check(_ catalog.Catalog, r plan.Resource) error {
	if s.refuses == nil {
		return nil
	}
	return s.refuses(r)
}

func (system) Alteration(before, after catalog.Table) ([]string, error) {
	return catalog.LostColumns(before, after, func(from, to string) bool { return from == "integer" && to == "bigint" }), nil
}

func systems() map[string]bind.System {
	return map[string]bind.System{
		"postgres": system{schema: catalog.OptionSchema{
			Catalog: []catalog.OptionSpec{
				{Name: "host", Type: catalog.StringOption, Required: true},
				{Name: "port", Type: catalog.IntegerOption, Default: "5432"},
				{Name: "user", Type: catalog.StringOption},
				{Name: "password", Type: catalog.StringOption, Secret: true},
				{Name: "sslmode", Type: catalog.EnumOption, Enum: []string{"disable", "require"}},
			},
			Table: []catalog.OptionSpec{{Name: "fillfactor", Type: catalog.IntegerOption}},
		}},
		"mysql": system{},
		"iceberg": system{
			schema: catalog.OptionSchema{
				Catalog: []catalog.OptionSpec{
					{Name: "warehouse", Type: catalog.StringOption}, {Name: "token", Type: catalog.StringOption, Secret: true},
				},
				Table: []catalog.OptionSpec{
					{Name: "format_version", Type: catalog.IntegerOption},
					{Name: "sort_order", Type: catalog.StringOption},
					{Name: "write.*", Type: catalog.StringOption},
				},
			},
			refuses: icebergRefuses,
		},
		"kafka": system{schema: catalog.OptionSchema{
			Catalog: []catalog.OptionSpec{
				{Name: "bootstrap_servers", Type: catalog.StringOption, Required: true, Changeable: true},
				{Name: "sasl_password", Type: catalog.StringOption, Secret: true, Changeable: true},
				{Name: "sasl_key", Type: catalog.StringOption, Secret: true, Changeable: true},
				{Name: "fixed", Type: catalog.StringOption},
			},
			Table: []catalog.OptionSpec{
				{Name: "partitions", Type: catalog.IntegerOption},
				{Name: "compacted", Type: catalog.BooleanOption},
				{Name: "retention", Type: catalog.DurationOption},
			},
		}},
	}
}

func icebergRefuses(r plan.Resource) error {
	for _, column := range r.Table.Columns {
		if column.Type == "money" {
			e := sqlerr.New(sqlerr.DatatypeMismatch, `type "%s" has no counterpart`, column.Type)
			e.Column = column.Name
			return e
		}
		if strings.HasPrefix(column.Default, "nextval") {
			e := sqlerr.New(sqlerr.FeatureNotSupported, "such a default is not supported")
			e.Column = column.Name
			return e
		}
	}
	if len(r.Table.Constraints) > 0 {
		constraint := r.Table.Constraints[0]
		e := sqlerr.New(sqlerr.FeatureNotSupported, "%s constraints are not supported", constraint.Kind)
		e.Constraint = constraint.Name
		if e.Constraint == "" {
			e.Constraint = string(constraint.Kind)
		}
		return e
	}
	return nil
}
