package iceberg

import (
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/provision"
)

// The table properties that this package writes.
const (
	propComment = "comment" // as Spark and Trino have it
	propPurge   = "tablewright.purge"
)

const formatVersionDefault = "2"

// name is the place of an object in the catalogue; table is empty for a namespace.
type name struct {
	schema, table string
}

// String is the name in SQL quoting.
func (n name) String() string {
	return catalog.QuoteIdent(n.schema) + "." + catalog.QuoteIdent(n.table)
}

func (n name) identifier() table.Identifier { return append(strings.Split(n.schema, "."), n.table) }

// definition is a wanted table in Iceberg's terms.
type definition struct {
	schema     *iceberg.Schema
	spec       *iceberg.PartitionSpec
	transforms []catalog.Transform
	order      table.SortOrder
	properties iceberg.Properties // without format-version and the job's mark
	version    string
}

// define translates a definition; it is also the check of one.
func define(n name, t catalog.Table) (*definition, error) {
	if err := checkSupported(t); err != nil {
		return nil, err
	}
	if err := checkOptions(t); err != nil {
		return nil, err
	}
	if len(t.Columns) == 0 {
		return nil, provision.Error(provision.Unsupported, "table %s has no columns", n)
	}
	d := &definition{properties: iceberg.Properties{}, version: formatVersionDefault}
	var err error
	if d.schema, err = buildSchema(t); err != nil {
		return nil, err
	}
	if d.transforms, err = transforms(t); err != nil {
		return nil, err
	}
	if d.spec, err = buildSpec(d.schema, d.transforms); err != nil {
		return nil, err
	}
	if d.order, err = buildSortOrder(d.schema, t); err != nil {
		return nil, err
	}
	if t.Comment != "" {
		d.properties[propComment] = t.Comment
	}
	for _, o := range t.Options {
		switch {
		case propertyOption(o.Name):
			d.properties[o.Name] = o.Value
		case o.Name == optFormatVersion:
			d.version = o.Value
		case o.Name == optPurge:
			if purge, _ := provision.ParseBool(o.Value); !purge {
				d.properties[propPurge] = "false"
			}
		}
	}
	return d, nil
}
