package iceberg

import (
	"errors"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// Values that a column cannot hold are refused with PostgreSQL's code for that, or rounded as it rounds.
func TestValues(t *testing.T) {
	tests := []struct{ typ, text, want, code string }{
		{"integer", "2147483648", "", "22003"},
		{"integer", "1.5", "", "22P02"},
		{"bigint", "9223372036854775808", "", "22003"},
		{"boolean", "maybe", "", "22P02"},
		{"boolean", "true", "t", ""},
		{"real", "1e39", "", "22003"},
		{"double precision", "x", "", "22P02"},
		{"numeric(4,2)", "12.345", "12.35", ""},
		{"numeric(4,2)", "-12.345", "-12.35", ""},
		{"numeric(4,2)", "0.004999", "0.00", ""},
		{"numeric(4,2)", "99.995", "", "22003"},
		{"numeric(4,2)", "NaN", "", "22003"},
		{"numeric(4,2)", "Infinity", "", "22003"},
		{"numeric(4,2)", "1e2", "", "22P02"},
		{"numeric(4,2)", "1/2", "", "22P02"},
		{"numeric(4,2)", "", "", "22P02"},
		{"numeric(4,0)", "-0.4", "0", ""},
		{"date", "infinity", "", "22008"},
		{"date", "2023-02-29", "", "22008"},
		{"date", "29.02.2024", "", "22007"},
		{"date", "0044-03-15 BC", "0044-03-15 BC", ""},
		{"date", "0004-02-29 BC", "", "22008"},
		{"date", "0005-02-29 BC", "0005-02-29 BC", ""},
		{"date", "5874897-12-31", "5874897-12-31", ""},
		{"time without time zone", "24:00:00", "", "22008"},
		{"time without time zone", "12:60:00", "", "22008"},
		{"time without time zone", "noon", "", "22007"},
		{"timestamp without time zone", "2024-01-01 10:00:00+05", "2024-01-01 10:00:00", ""},
		{"timestamp without time zone", "-infinity", "", "22008"},
		{"timestamp with time zone", "2024-01-01 10:00:00-05:30", "2024-01-01 15:30:00+00", ""},
		{"timestamp with time zone", "2024-01-01 00:00:00+05:30:15", "2023-12-31 18:29:45+00", ""},
		{"timestamp with time zone", "5874897-12-31 00:00:00+00", "", "22008"},
		{"timestamp with time zone", "yesterday", "", "22007"},
		{"uuid", "123e4567", "", "22P02"},
		{"bytea", `\xzz`, "", "22P02"},
		{"bytea", "abc", "", "22P02"},
		{"integer[]", "{1,x}", "", "22P02"},
		{"integer[]", "{{1},{2}}", "", "0A000"},
		{"integer[]", "[0:1]={1,2}", "", "0A000"},
		{"integer[]", "1,2", "", "22P02"},
		{"integer[]", "{1,}", "", "22P02"},
		{"integer[]", "{1 ", "", "22P02"},
	}
	for _, test := range tests {
		got, err := throughArrow(test.typ, test.text)
		if test.code == "" {
			if err != nil || got != test.want {
				t.Errorf("%s %q: %q, %v, want %q", test.typ, test.text, got, err, test.want)
			}
			continue
		}
		if e, ok := errors.AsType[*sqlerr.Error](err); !ok || e.Code != test.code {
			t.Errorf("%s %q: %q, %v, want %s", test.typ, test.text, got, err, test.code)
		}
	}
}

// throughArrow reads a value into a column and prints it again.
func throughArrow(typ, text string) (string, error) {
	mapped, err := icebergType("c", typ, func() int { return 2 })
	if err != nil {
		return "", err
	}
	arrowType, err := table.TypeToArrowType(mapped, false, false)
	if err != nil {
		return "", err
	}
	builder := array.NewBuilder(memory.DefaultAllocator, arrowType)
	defer builder.Release()
	if err := appendValue(builder, mapped, text); err != nil {
		return "", err
	}
	column := builder.NewArray()
	defer column.Release()
	out, err := appendText(nil, column, 0)
	return string(out), err
}

// What PostgreSQL has no type for is shown as JSON.
func TestOtherTypes(t *testing.T) {
	p := iceberg.PrimitiveTypes
	tests := []struct {
		typ  iceberg.Type
		want string
	}{
		{iceberg.FixedTypeOf(3), "bytea"},
		{p.TimestampNs, "timestamp without time zone"},
		{p.TimestampTzNs, "timestamp with time zone"},
		{&iceberg.StructType{}, "jsonb"},
		{&iceberg.MapType{KeyType: p.String, ValueType: p.Int32}, "jsonb"},
		{&iceberg.ListType{Element: p.Int32}, "integer[]"},
		{&iceberg.ListType{Element: &iceberg.ListType{Element: p.Int32}}, "jsonb"},
		{&iceberg.ListType{Element: &iceberg.StructType{}}, "jsonb"},
	}
	for _, test := range tests {
		if got := postgresType(test.typ); got != test.want {
			t.Errorf("%s is shown as %s, want %s", test.typ, got, test.want)
		}
	}
}
