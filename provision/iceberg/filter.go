package iceberg

import (
	"math"
	"strconv"

	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/tablewright/tablewright/provision"
)

// pushDown is the row filter for those predicates on which Iceberg and PostgreSQL agree; AlwaysTrue when
// there is none. Others are left to the caller, who evaluates all of them again.
func pushDown(schema *iceberg.Schema, req provision.ScanRequest) iceberg.BooleanExpression {
	types := make(map[string]string)
	for _, c := range append(req.Resource.Table.Columns, req.Columns...) {
		types[c.Name] = c.Type
	}
	var filter iceberg.BooleanExpression = iceberg.AlwaysTrue{}
	for _, f := range req.Filters {
		if p := predicate(schema, types[f.Column], f); p != nil {
			filter = iceberg.NewAnd(filter, p)
		}
	}
	return filter
}

// predicate translates one filter, nil when it cannot be pushed down.
func predicate(schema *iceberg.Schema, wanted string, f provision.Filter) iceberg.BooleanExpression {
	field, ok := fieldNamed(schema, f.Column)
	if !ok {
		return nil
	}
	typ, ok := parseType(wanted)
	if !ok || typ.array {
		return nil
	}
	mapped, _ := scalarType(typ)
	if mapped == nil || !sameType(mapped, field.Type) {
		return nil
	}
	operation, ok := operationOf(f.Op)
	if !ok {
		return nil
	}
	literal, ordered := literalOf(typ.base, field.Type, f.Value)
	if literal == nil || !ordered && operation != iceberg.OpEQ {
		return nil
	}
	return iceberg.LiteralPredicate(operation, iceberg.Reference(f.Column), literal)
}

func operationOf(op string) (iceberg.Operation, bool) {
	switch op {
	case "=":
		return iceberg.OpEQ, true
	case "<":
		return iceberg.OpLT, true
	case "<=":
		return iceberg.OpLTEQ, true
	case ">":
		return iceberg.OpGT, true
	case ">=":
		return iceberg.OpGTEQ, true
	default:
		return 0, false
	}
}

// literalOf reads a filter's value; ordered tells whether both systems sort the type alike. Types whose
// equality is not that of their bytes (character(n), jsonb, citext), and floating-point numbers with
// their NaN, are left out.
func literalOf(base string, typ iceberg.Type, text string) (literal iceberg.Literal, ordered bool) {
	switch base {
	case "smallint", "integer":
		if n, err := strconv.ParseInt(text, 10, 32); err == nil {
			return iceberg.NewLiteral(int32(n)), true
		}
	case "bigint":
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return iceberg.NewLiteral(n), true
		}
	case "text", "character varying":
		return iceberg.NewLiteral(text), false
	case "boolean":
		if v, ok := provision.ParseBool(text); ok {
			return iceberg.NewLiteral(v), false
		}
	case "uuid":
		if v, err := uuid.Parse(text); err == nil {
			return iceberg.NewLiteral(v), false
		}
	case "date":
		if days, err := parseDate(text); err == nil {
			return iceberg.NewLiteral(iceberg.Date(days)), true
		}
	case "timestamp without time zone", "timestamp with time zone":
		if micros, err := parseTimestamp(text, typ.Equals(iceberg.PrimitiveTypes.TimestampTz)); err == nil && inYears(micros) {
			return iceberg.NewLiteral(iceberg.Timestamp(micros)), true
		}
	}
	return nil, false
}

// inYears keeps filters out of the range in which libraries' conversions overflow.
func inYears(micros int64) bool { return micros > math.MinInt64/2000 && micros < math.MaxInt64/2000 }
