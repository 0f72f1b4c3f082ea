package iceberg

import (
	"slices"

	"github.com/apache/iceberg-go"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/provision"
)

// buildSchema is the Iceberg schema of a definition. Its ids are preliminary: metadata assigns fresh ones.
func buildSchema(t catalog.Table) (*iceberg.Schema, error) {
	last := len(t.Columns)
	nextID := func() int { last++; return last }
	fields := make([]iceberg.NestedField, 0, len(t.Columns))
	identifiers := []int{}
	for i, c := range t.Columns {
		typ, err := icebergType(c.Name, c.Type, nextID)
		if err != nil {
			return nil, err
		}
		key := slices.Contains(t.PrimaryKey, c.Name)
		field := iceberg.NestedField{ID: i + 1, Name: c.Name, Type: typ, Required: c.NotNull || key, Doc: c.Comment}
		if key {
			if err := checkKeyColumn(c, typ); err != nil {
				return nil, err
			}
			identifiers = append(identifiers, field.ID)
		}
		fields = append(fields, field)
	}
	for _, k := range t.PrimaryKey {
		if !slices.ContainsFunc(t.Columns, func(c catalog.Column) bool { return c.Name == k }) {
			return nil, provision.Error(provision.Invalid, "column %q named in key does not exist", k)
		}
	}
	return iceberg.NewSchemaWithIdentifiers(0, identifiers, fields...), nil
}

// checkKeyColumn refuses types that Iceberg's identifier fields cannot have.
func checkKeyColumn(c catalog.Column, typ iceberg.Type) error {
	switch typ.(type) {
	case iceberg.Float32Type, iceberg.Float64Type, *iceberg.ListType:
		e := provision.Error(provision.InvalidType, "column %q of type %s cannot be in the primary key of an iceberg table", c.Name, c.Type).
			WithHint("Identifier fields are no floating-point numbers and no arrays; use numeric.")
		e.Column = c.Name
		return e
	default:
		return nil
	}
}

// foundColumns are a table's columns in PostgreSQL's terms.
func foundColumns(schema *iceberg.Schema) []catalog.Column {
	columns := make([]catalog.Column, 0, schema.NumFields())
	for _, f := range schema.Fields() {
		columns = append(columns, catalog.Column{Name: f.Name, Type: postgresType(f.Type), NotNull: f.Required, Comment: f.Doc})
	}
	return columns
}

// foundKey names the identifier fields, in the order of the columns.
func foundKey(schema *iceberg.Schema) []string {
	var key []string
	for _, f := range schema.Fields() {
		if slices.Contains(schema.IdentifierFieldIDs, f.ID) {
			key = append(key, f.Name)
		}
	}
	return key
}
