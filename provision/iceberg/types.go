package iceberg

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"

	"github.com/tablewright/tablewright/provision"
)

// decimalPrecisionMax is Iceberg's largest precision of a decimal, in digits.
const decimalPrecisionMax = 38

// A numeric without precision becomes decimal(38,18), as JDBC mappers have it.
const (
	bareNumericPrecision = 38
	bareNumericScale     = 18
)

var typeForm = regexp.MustCompile(`^([a-z0-9_ ]+?)(?:\((\d+)(?:,(-?\d+))?\))?((?: with(?:out)? time zone)?)(\[\])?$`)

// columnType is a type as format_type prints it, taken apart.
type columnType struct {
	base  string
	args  []int
	array bool
}

func parseType(text string) (columnType, bool) {
	m := typeForm.FindStringSubmatch(text)
	if m == nil {
		return columnType{}, false
	}
	t := columnType{base: m[1] + m[4], array: m[5] != ""}
	for _, arg := range m[2:4] {
		if arg == "" {
			continue
		}
		n, err := strconv.Atoi(arg)
		if err != nil {
			return columnType{}, false
		}
		t.args = append(t.args, n)
	}
	return t, true
}

// icebergType maps a column's type; element ids of lists are taken from nextID. What Iceberg cannot
// hold is an error of kind InvalidType with a hint that names what fits.
func icebergType(column, text string, nextID func() int) (iceberg.Type, error) {
	t, ok := parseType(text)
	if !ok {
		return nil, typeError(column, text, "Types are those of PostgreSQL that Iceberg can hold; text holds any.")
	}
	scalar, hint := scalarType(t)
	if scalar == nil {
		return nil, typeError(column, text, hint)
	}
	if !t.array {
		return scalar, nil
	}
	return &iceberg.ListType{ElementID: nextID(), Element: scalar}, nil
}

func typeError(column, text, hint string) error {
	e := provision.Error(provision.InvalidType, "column %q cannot have type %s in an iceberg table", column, text).WithHint("%s", hint)
	e.Column, e.DataType = column, text
	return e
}

// scalarType maps a type that is no array; the hint is for one that has no counterpart.
func scalarType(t columnType) (typ iceberg.Type, hint string) {
	p := iceberg.PrimitiveTypes
	switch t.base {
	case "boolean":
		return p.Bool, ""
	case "smallint", "integer":
		return p.Int32, ""
	case "bigint":
		return p.Int64, ""
	case "real":
		return p.Float32, ""
	case "double precision":
		return p.Float64, ""
	case "numeric":
		return decimalType(t.args)
	case "text", "character varying", "character", "bpchar", "json", "jsonb", "citext", "inet":
		return p.String, ""
	case "bytea":
		return p.Binary, ""
	case "date":
		return p.Date, ""
	case "time without time zone":
		return p.Time, ""
	case "timestamp without time zone":
		return p.Timestamp, ""
	case "timestamp with time zone":
		return p.TimestampTz, ""
	case "uuid":
		return p.UUID, ""
	default:
		return nil, otherHint(t.base)
	}
}

func decimalType(args []int) (iceberg.Type, string) {
	if len(args) == 0 {
		return iceberg.DecimalTypeOf(bareNumericPrecision, bareNumericScale), ""
	}
	precision, scale := args[0], 0
	if len(args) > 1 {
		scale = args[1]
	}
	if precision > decimalPrecisionMax || scale < 0 || scale > precision {
		return nil, fmt.Sprintf("numeric(p,s) may have p up to %d and s from 0 to p; text holds any number.", decimalPrecisionMax)
	}
	return iceberg.DecimalTypeOf(precision, scale), ""
}

func otherHint(base string) string {
	switch {
	case base == "time with time zone":
		return "Use time without time zone, or timestamp with time zone."
	case base == "interval":
		return "Use bigint for microseconds, or text."
	case base == "money":
		return "Use numeric(19,2)."
	case base == "bit" || base == "bit varying":
		return "Use bytea, or text."
	case strings.HasSuffix(base, "range"):
		return "Use two columns, one for each bound."
	default:
		return "Use text; an enum or a domain is text, or its base type, in an iceberg table."
	}
}

// postgresType is the type of a column that an Iceberg table has. What PostgreSQL has no type for is
// shown as jsonb.
func postgresType(t iceberg.Type) string {
	switch t := t.(type) {
	case iceberg.BooleanType:
		return "boolean"
	case iceberg.Int32Type:
		return "integer"
	case iceberg.Int64Type:
		return "bigint"
	case iceberg.Float32Type:
		return "real"
	case iceberg.Float64Type:
		return "double precision"
	case iceberg.DecimalType:
		return fmt.Sprintf("numeric(%d,%d)", t.Precision(), t.Scale())
	case iceberg.StringType:
		return "text"
	case iceberg.BinaryType, iceberg.FixedType:
		return "bytea"
	case iceberg.DateType:
		return "date"
	case iceberg.TimeType:
		return "time without time zone"
	case iceberg.TimestampType, iceberg.TimestampNsType:
		return "timestamp without time zone"
	case iceberg.TimestampTzType, iceberg.TimestampTzNsType:
		return "timestamp with time zone"
	case iceberg.UUIDType:
		return "uuid"
	case *iceberg.ListType:
		if element := postgresType(t.Element); element != "jsonb" && !strings.HasSuffix(element, "[]") {
			return element + "[]"
		}
		return "jsonb"
	default:
		return "jsonb"
	}
}

// sameType compares types without the ids of list elements.
func sameType(a, b iceberg.Type) bool { return a.String() == b.String() }

// widens tells whether Iceberg can change type from into type to: without touching files, and without
// losing a value.
func widens(from, to iceberg.Type) bool {
	switch from := from.(type) {
	case iceberg.Int32Type:
		return to.Equals(iceberg.PrimitiveTypes.Int64)
	case iceberg.Float32Type:
		return to.Equals(iceberg.PrimitiveTypes.Float64)
	case iceberg.DecimalType:
		wider, ok := to.(iceberg.DecimalType)
		return ok && wider.Scale() == from.Scale() && wider.Precision() > from.Precision()
	default:
		return false
	}
}
