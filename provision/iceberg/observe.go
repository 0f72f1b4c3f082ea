package iceberg

import (
	"context"
	"fmt"

	"github.com/apache/iceberg-go/table"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/provision"
)

// Observe reads the catalogue's row and the table's current metadata and compares them with the
// definition.
func (s *System) Observe(ctx context.Context, r plan.Resource) (provision.Observation, error) {
	n, err := s.name(r)
	if err != nil {
		return provision.Observation{}, err
	}
	if r.Kind == plan.SchemaKind {
		return s.observeNamespace(ctx, n)
	}
	row, err := s.rows.lookup(ctx, n)
	if err != nil || row == nil {
		return provision.Observation{}, s.fail(ctx, err)
	}
	if row.view {
		return provision.Observation{Exists: true, Diff: []string{"it is a view, not a table"}, Destructive: true}, nil
	}
	loaded, err := s.table(n).at(ctx, row.metadata)
	if err != nil {
		return provision.Observation{}, s.fail(ctx, err)
	}
	return observation(n, loaded, r), nil
}

func (s *System) observeNamespace(ctx context.Context, n name) (provision.Observation, error) {
	found, err := s.rows.namespace(ctx, n.schema)
	if err != nil {
		return provision.Observation{}, s.fail(ctx, err)
	}
	o := provision.Observation{Exists: found.exists, UpToDate: found.exists, Identity: found.identity, JobID: found.jobID}
	if !found.exists {
		return o, nil
	}
	tables, err := s.rows.contents(ctx, n.schema)
	for _, table := range tables {
		o.Dependents = append(o.Dependents, provision.Dependent{
			Description: "table " + catalog.QuoteIdent(n.schema) + "." + catalog.QuoteIdent(table), Path: []string{n.schema, table},
		})
	}
	return o, s.fail(ctx, err)
}

func observation(n name, t *table.Table, r plan.Resource) provision.Observation {
	meta := t.Metadata()
	o := provision.Observation{
		Exists: true, Identity: meta.TableUUID().String(), JobID: meta.Properties()[propJobID], Found: foundTable(t, r.Name),
		Outputs: []provision.Output{
			{Name: "location", Value: meta.Location()}, {Name: "metadata_location", Value: t.MetadataLocation()},
		},
	}
	wanted, err := define(n, r.Table)
	if err != nil {
		o.Diff = []string{fmt.Sprintf("the definition is none of an iceberg table: %s", err)}
		return o
	}
	for _, c := range diff(t, wanted, r.Table) {
		o.Diff = append(o.Diff, c.line)
		o.Destructive = o.Destructive || c.destructive
		if !c.possible() {
			o.Blocked = append(o.Blocked, c.line)
		}
	}
	o.UpToDate = len(o.Diff) == 0
	return o
}

// foundTable is the table in a definition's terms.
func foundTable(t *table.Table, full catalog.Name) catalog.Table {
	schema, properties := t.Schema(), t.Properties()
	found := catalog.Table{
		Name: full, Columns: foundColumns(schema), PrimaryKey: foundKey(schema), Comment: properties[propComment],
		Partitioning: foundPartitioning(schema, t.Spec()),
	}
	found.Options = append(found.Options, catalog.Option{Name: optFormatVersion, Value: fmt.Sprint(t.Metadata().Version())})
	if order := sortText(schema, t.SortOrder()); order != "" {
		found.Options = append(found.Options, catalog.Option{Name: optSortOrder, Value: order})
	}
	for _, key := range sortedKeys(properties) {
		if propertyOption(key) {
			found.Options = append(found.Options, catalog.Option{Name: key, Value: properties[key]})
		}
	}
	return found
}
