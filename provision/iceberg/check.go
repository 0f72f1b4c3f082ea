package iceberg

import (
	"slices"
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

const (
	nameBytesMax = 255 // of the catalogue's columns
	columnsMax   = 1600
	// namespaceMarker begins the names that iceberg-go gives to namespaces whose parts hold dots.
	namespaceMarker = "__iceberg_namespace_v1__:"
)

// Check validates a catalog's options and, unless r is a catalog, a definition. It does no I/O.
func (o *Opener) Check(c catalog.Catalog, r plan.Resource) error {
	if err := checkCatalog(c); err != nil {
		return err
	}
	if r.Kind == plan.CatalogKind || r.Kind == "" {
		return nil
	}
	fallback := schemaDefault
	if schema, ok := c.Options.Get(optDefaultSchema); ok && schema != "" {
		fallback = schema
	}
	n, err := resourceName(r, fallback)
	if err != nil || r.Kind == plan.SchemaKind {
		return err
	}
	_, err = define(n, r.Table)
	return err
}

// resourceName is the name of a resource in the catalogue. Dots in a schema's name separate the levels of
// a nested namespace, as they do in a SQL catalogue's rows.
func resourceName(r plan.Resource, fallback string) (name, error) {
	schema, table, err := provision.LayeredPath(r, fallback)
	if err != nil {
		return name{}, err
	}
	for _, part := range []string{schema, table} {
		if err := provision.CheckNameLength(part, nameBytesMax); err != nil {
			return name{}, err
		}
	}
	if strings.HasPrefix(schema, namespaceMarker) {
		return name{}, sqlerr.New(sqlerr.InvalidName, "invalid name %q", schema)
	}
	return name{schema, table}, nil
}

// checkSupported refuses what an Iceberg table has no place for, each with an error of its own.
func checkSupported(t catalog.Table) error {
	if len(t.Columns) > columnsMax {
		return sqlerr.New(sqlerr.TooManyColumns, "tables can have at most %d columns", columnsMax)
	}
	for _, c := range t.Columns {
		var e *sqlerr.Error
		switch {
		case c.Name == "":
			e = sqlerr.New(sqlerr.InvalidName, "a column has no name")
		case c.Identity != "":
			e = provision.Error(provision.Unsupported, "identity columns are not supported by iceberg tables")
		case c.Default != "":
			e = provision.Error(provision.Unsupported, "column defaults are not supported by iceberg tables")
		default:
			continue
		}
		e.Column = c.Name
		return e
	}
	if len(t.Constraints) > 0 {
		c := t.Constraints[0]
		e := provision.Error(provision.Unsupported, "%s constraints are not supported by iceberg tables", c.Kind)
		e.Constraint = c.Name
		return e.WithHint("NOT NULL and PRIMARY KEY are supported; the key is not enforced.")
	}
	return nil
}

// checkOptions validates a table's options; Iceberg's own properties pass as they are.
func checkOptions(t catalog.Table) error {
	for _, o := range t.Options {
		if placeProperty(o.Name) {
			return provision.Error(provision.Unsupported, "property %q is not supported", o.Name).
				WithHint("A table's files lie in its own folder in the warehouse.")
		}
	}
	own := slices.DeleteFunc(slices.Clone(t.Options), func(o catalog.Option) bool { return propertyOption(o.Name) })
	return provision.CheckOptions("table "+t.Name.String(), tableOptions(), own)
}
