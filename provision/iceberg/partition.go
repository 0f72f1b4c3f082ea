package iceberg

import (
	"slices"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/provision"
)

// partitionStart is the first id of partition fields (Iceberg's table specification).
const partitionStart = 1000

// transforms returns a definition's partitioning, from PARTITIONED BY or from the option of that name.
func transforms(t catalog.Table) ([]catalog.Transform, error) {
	text, ok := t.Options.Get(optPartitioning)
	if !ok || strings.TrimSpace(text) == "" {
		return t.Partitioning, nil
	}
	if len(t.Partitioning) > 0 {
		return nil, provision.Error(provision.Invalid, "partitioning is given twice").
			WithHint("Give it by PARTITIONED BY or by the option %q.", optPartitioning)
	}
	terms, err := parseTerms(text)
	if err != nil {
		return nil, err
	}
	var list []catalog.Transform
	for _, term := range terms {
		if term.order != "" {
			return nil, syntaxError(optPartitioning, text)
		}
		list = append(list, term.Transform)
	}
	return list, nil
}

// buildSpec is the partition spec of a definition.
func buildSpec(schema *iceberg.Schema, list []catalog.Transform) (*iceberg.PartitionSpec, error) {
	var fields []iceberg.PartitionField
	for i, t := range list {
		source, transform, err := bindTransform(schema, t)
		if err != nil {
			return nil, err
		}
		field := iceberg.PartitionField{SourceIDs: []int{source.ID}, FieldID: partitionStart + i, Transform: transform}
		if field.Name, err = iceberg.GeneratePartitionFieldName(schema, field); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(fields, func(f iceberg.PartitionField) bool { return f.Name == field.Name }) {
			return nil, provision.Error(provision.Invalid, "partition %s is given twice", transformText(t))
		}
		if other, ok := schema.FindFieldByName(field.Name); ok && other.ID != source.ID {
			return nil, provision.Error(provision.Invalid, "the partition field %q of %s would be called like a column", field.Name, transformText(t))
		}
		fields = append(fields, field)
	}
	spec := iceberg.NewPartitionSpec(fields...)
	return &spec, nil
}

// bindTransform resolves one transform of a definition.
func bindTransform(schema *iceberg.Schema, t catalog.Transform) (iceberg.NestedField, iceberg.Transform, error) {
	if len(t.Columns) != 1 {
		return iceberg.NestedField{}, nil, provision.Error(provision.Invalid, "transform %s takes one column", transformText(t))
	}
	field, ok := schema.FindFieldByName(t.Columns[0])
	if !ok {
		return iceberg.NestedField{}, nil, provision.Error(provision.Invalid, "column %q named in partition key does not exist", t.Columns[0])
	}
	transform, err := parseTransform(t)
	if err != nil {
		return iceberg.NestedField{}, nil, err
	}
	if !transform.CanTransform(field.Type) {
		e := provision.Error(provision.InvalidType, "transform %s cannot be applied to column %q of type %s",
			transformText(t), field.Name, postgresType(field.Type))
		e.Column = field.Name
		return iceberg.NestedField{}, nil, e.WithHint("years, months and days take dates and timestamps, hours timestamps; " +
			"truncate takes numbers, text and bytea; bucket takes all but booleans, floating-point numbers and arrays.")
	}
	return field, transform, nil
}

func parseTransform(t catalog.Transform) (iceberg.Transform, error) {
	kind := strings.ToLower(t.Transform)
	width := 0
	switch kind {
	case "bucket", "truncate":
		var err error
		if len(t.Args) == 1 {
			width, err = strconv.Atoi(t.Args[0])
		}
		if err != nil || len(t.Args) != 1 || width <= 0 {
			return nil, provision.Error(provision.Invalid, "transform %s takes a positive number and a column", kind).
				WithHint("Write it like %s(16, id).", kind)
		}
	default:
		if len(t.Args) > 0 {
			return nil, provision.Error(provision.Invalid, "transform %s takes a column only", transformText(t))
		}
	}
	switch kind {
	case "", "identity":
		return iceberg.IdentityTransform{}, nil
	case "void":
		return iceberg.VoidTransform{}, nil
	case "year", "years":
		return iceberg.YearTransform{}, nil
	case "month", "months":
		return iceberg.MonthTransform{}, nil
	case "day", "days":
		return iceberg.DayTransform{}, nil
	case "hour", "hours":
		return iceberg.HourTransform{}, nil
	case "bucket":
		return iceberg.BucketTransform{NumBuckets: width}, nil
	case "truncate":
		return iceberg.TruncateTransform{Width: width}, nil
	default:
		return nil, provision.Error(provision.Unsupported, "partitioning by %s is not supported by iceberg tables", kind).
			WithHint("Transforms are: years, months, days, hours, bucket, truncate, identity, void.")
	}
}

// transformText writes a transform as PARTITIONED BY has it.
func transformText(t catalog.Transform) string {
	columns := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = catalog.QuoteIdent(c)
	}
	if t.Transform == "" || strings.EqualFold(t.Transform, "identity") {
		return strings.Join(columns, ", ")
	}
	return strings.ToLower(t.Transform) + "(" + strings.Join(append(slices.Clone(t.Args), columns...), ", ") + ")"
}

// foundPartitioning is a table's partitioning in a definition's terms.
func foundPartitioning(schema *iceberg.Schema, spec iceberg.PartitionSpec) []catalog.Transform {
	var list []catalog.Transform
	for _, f := range spec.Fields() {
		name, _ := schema.FindColumnName(f.SourceID())
		list = append(list, foundTransform(f.Transform, name))
	}
	return list
}

func foundTransform(transform iceberg.Transform, column string) catalog.Transform {
	found := catalog.Transform{Columns: []string{column}}
	switch transform := transform.(type) {
	case iceberg.IdentityTransform:
	case iceberg.YearTransform, iceberg.MonthTransform, iceberg.DayTransform, iceberg.HourTransform:
		found.Transform = transform.String() + "s"
	case iceberg.BucketTransform:
		found.Transform, found.Args = "bucket", []string{strconv.Itoa(transform.NumBuckets)}
	case iceberg.TruncateTransform:
		found.Transform, found.Args = "truncate", []string{strconv.Itoa(transform.Width)}
	default:
		found.Transform = transform.String()
	}
	return found
}
