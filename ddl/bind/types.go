package bind

import (
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// timePrecisionMax is PostgreSQL's: more digits are a WARNING there, and cut.
const timePrecisionMax = 6

// typeName is the canonical spelling of a type, as format_type prints it.
func (c *compiler) typeName(typ *pg_query.TypeName) (string, error) {
	position := c.st.Position(int(typ.GetLocation()))
	if typ.GetSetof() || typ.GetPctType() {
		return "", sqlerr.New(sqlerr.FeatureNotSupported, "columns of such a type are not supported").At(position)
	}
	name, known := builtinType(typ)
	if !known {
		if name, plain := plainTypes()[typeParts(typ)[len(typ.GetNames())-1]]; plain && len(typ.GetTypmods()) > 0 {
			return "", sqlerr.New(sqlerr.SyntaxError, `type modifier is not allowed for type "%s"`, name).At(position)
		}
		info, ok := c.snap.Types[typeKey(typ)]
		if !ok {
			return "", sqlerr.New(sqlerr.UndefinedObject, `type "%s" does not exist`, typeLabel(typ)).At(position)
		}
		name = info.Name
		if mods := modifiers(typ); len(mods) > 0 {
			name += "(" + strings.Join(mods, ",") + ")"
		}
	}
	if len(typ.GetArrayBounds()) > 0 {
		name += "[]"
	}
	return name, nil
}

// typeParts are the names of a type.
func typeParts(typ *pg_query.TypeName) []string {
	parts := make([]string, 0, len(typ.GetNames()))
	for _, n := range typ.GetNames() {
		parts = append(parts, n.GetString_().GetSval())
	}
	return parts
}

// typeKey is a type's name in SQL quoting, the key of Snapshot.Types.
func typeKey(typ *pg_query.TypeName) string {
	parts := typeParts(typ)
	for i, part := range parts {
		parts[i] = catalog.QuoteIdent(part)
	}
	return strings.Join(parts, ".")
}

// typeLabel is a type's name as PostgreSQL's error has it.
func typeLabel(typ *pg_query.TypeName) string { return strings.Join(typeParts(typ), ".") }

// serialType is the integer type of serial and its kin, "" for another type.
func serialType(typ *pg_query.TypeName) string {
	parts := typeParts(typ)
	if len(parts) != 1 || len(typ.GetArrayBounds()) > 0 || len(typ.GetTypmods()) > 0 {
		return ""
	}
	switch parts[0] {
	case "serial", "serial4":
		return "integer"
	case "bigserial", "serial8":
		return "bigint"
	case "smallserial", "serial2":
		return "smallint"
	default:
		return ""
	}
}

// modifiers are the constants in parentheses behind a type's name.
func modifiers(typ *pg_query.TypeName) []string {
	mods := make([]string, 0, len(typ.GetTypmods()))
	for _, m := range typ.GetTypmods() {
		switch v := m.GetAConst().GetVal().(type) {
		case *pg_query.A_Const_Ival:
			mods = append(mods, strconv.Itoa(int(v.Ival.GetIval())))
		case *pg_query.A_Const_Fval:
			mods = append(mods, v.Fval.GetFval())
		case *pg_query.A_Const_Sval:
			mods = append(mods, catalog.QuoteLiteral(v.Sval.GetSval()))
		default:
			if ref := m.GetColumnRef(); ref != nil && len(ref.GetFields()) == 1 {
				mods = append(mods, ref.GetFields()[0].GetString_().GetSval())
			}
		}
	}
	return mods
}

// builtinType is the canonical spelling of a type that every PostgreSQL has, without array bounds.
func builtinType(typ *pg_query.TypeName) (string, bool) {
	parts := typeParts(typ)
	if len(parts) == 2 && parts[0] == "pg_catalog" {
		parts = parts[1:]
	}
	if len(parts) != 1 {
		return "", false
	}
	mods := modifiers(typ)
	if name, ok := modifiedType(parts[0], mods); ok {
		return name, true
	}
	name, ok := plainTypes()[parts[0]]
	return name, ok && len(mods) == 0
}

// modifiedType spells the types that take modifiers.
func modifiedType(name string, mods []string) (string, bool) {
	switch name {
	case "varchar":
		return "character varying" + parens(mods), true
	case "bpchar":
		if len(mods) == 0 {
			return "bpchar", true
		}
		return "character" + parens(mods), true
	case "bit":
		return "bit" + parens(mods), true
	case "varbit":
		return "bit varying" + parens(mods), true
	case "numeric":
		if len(mods) == 1 {
			mods = []string{mods[0], "0"}
		}
		return "numeric" + parens(mods), true
	case "time":
		return "time" + precision(mods) + " without time zone", true
	case "timetz":
		return "time" + precision(mods) + " with time zone", true
	case "timestamp":
		return "timestamp" + precision(mods) + " without time zone", true
	case "timestamptz":
		return "timestamp" + precision(mods) + " with time zone", true
	case "interval":
		return "interval" + intervalModifiers(mods), true
	default:
		return "", false
	}
}

func parens(mods []string) string {
	if len(mods) == 0 {
		return ""
	}
	return "(" + strings.Join(mods, ",") + ")"
}

func precision(mods []string) string {
	if len(mods) != 1 {
		return ""
	}
	if p, err := strconv.Atoi(mods[0]); err == nil && p > timePrecisionMax {
		return parens([]string{strconv.Itoa(timePrecisionMax)})
	}
	return parens(mods)
}

// intervalModifiers spells the fields and the precision of an interval. The first modifier is a mask of
// PostgreSQL's datetime fields (datatype/timestamp.h and utils/datetime.h).
func intervalModifiers(mods []string) string {
	if len(mods) == 0 {
		return ""
	}
	const (
		year, month, day, hour, minute, second = 1 << 2, 1 << 1, 1 << 3, 1 << 10, 1 << 11, 1 << 12
		full                                   = 0x7FFF
	)
	mask, err := strconv.Atoi(mods[0])
	if err != nil {
		return ""
	}
	fields := map[int]string{
		full: "", year: " year", month: " month", day: " day", hour: " hour", minute: " minute", second: " second",
		year | month: " year to month", day | hour: " day to hour", day | hour | minute: " day to minute",
		day | hour | minute | second: " day to second", hour | minute: " hour to minute",
		hour | minute | second: " hour to second", minute | second: " minute to second",
	}[mask]
	return fields + precision(mods[1:])
}

// plainTypes maps the names of types without modifiers to format_type's spelling.
func plainTypes() map[string]string { return plain }

//nolint:gochecknoglobals // a constant table
var plain = func() map[string]string {
	types := map[string]string{
		"bool": "boolean", "int2": "smallint", "int4": "integer", "int8": "bigint", "float4": "real",
		"float8": "double precision", "char": `"char"`,
	}
	for _, name := range []string{
		"text", "bytea", "date", "uuid", "json", "jsonb", "xml", "money", "inet", "cidr", "macaddr", "macaddr8",
		"point", "line", "lseg", "box", "path", "polygon", "circle", "tsvector", "tsquery", "oid", "name",
		"int4range", "int8range", "numrange", "tsrange", "tstzrange", "daterange", "int4multirange", "int8multirange",
		"nummultirange", "tsmultirange", "tstzmultirange", "datemultirange", "regclass", "regtype", "regproc",
		"regprocedure", "regrole", "regnamespace", "regconfig", "regdictionary", "regoper", "regoperator",
		"regcollation", "jsonpath", "pg_lsn", "pg_snapshot", "txid_snapshot", "xid", "xid8", "cid", "tid",
	} {
		types[name] = name
	}
	return types
}()
