package bind

import (
	"regexp"
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
)

// Filter is one condition of a query's WHERE that is simple enough to be sent along: Column Op Value.
type Filter struct {
	Column catalog.Column
	Op     string // = <> < <= > >=
	// Value is the constant in PostgreSQL's text form, in the column's type. It is empty when Param is set.
	Value string
	// Param is n of the parameter $n, 0 for a constant. Text tells whether its value can be sent along.
	Param int
}

// Text is the value of a parameter, given in text format, as the filter may send it along, and whether it
// may: what only PostgreSQL reads the way it does (`now`, a time without its zone), or more exactly than
// the column has it, stays at home.
func (f Filter) Text(param string) (string, bool) {
	class := classOf(f.Column.Type)
	text, ok := stringConstant(param, class)
	if class == texts {
		// A parameter declared as char(n) would compare without its blanks.
		ok = ok && !strings.HasSuffix(text, " ")
	}
	return text, ok && len(text) <= paramBytesMax && (class != integers || len(text) <= exactDigits) && fits(f.Column.Type, text)
}

const (
	// paramBytesMax bounds the value of a parameter that is sent along.
	paramBytesMax = 4096
	// exactDigits of an integer are the same in double precision, should the parameter be declared so.
	exactDigits = 15
)

// filters are the conditions of the top-level AND that compare a column with a constant or parameter. A
// condition is left out wherever a system that is no PostgreSQL, or one in another time zone or with
// another collation, could find fewer rows than the home database does.
func filters(sel *pg_query.SelectStmt, rv *pg_query.RangeVar, columns []catalog.Column) []Filter {
	if len(rv.GetAlias().GetColnames()) > 0 {
		return nil
	}
	alias := rv.GetRelname()
	if rv.GetAlias() != nil {
		alias = rv.GetAlias().GetAliasname()
	}
	byName := make(map[string]catalog.Column, len(columns))
	for _, c := range columns {
		byName[c.Name] = c
	}
	var found []Filter
	for _, condition := range conjuncts(sel.GetWhereClause()) {
		found = append(found, comparison(condition.GetAExpr(), alias, byName)...)
	}
	return found
}

// conjuncts are the conditions that AND joins.
func conjuncts(node *pg_query.Node) []*pg_query.Node {
	and := node.GetBoolExpr()
	if and == nil || and.GetBoolop() != pg_query.BoolExprType_AND_EXPR {
		if node == nil {
			return nil
		}
		return []*pg_query.Node{node}
	}
	var all []*pg_query.Node
	for _, arg := range and.GetArgs() {
		all = append(all, conjuncts(arg)...)
	}
	return all
}

func comparison(e *pg_query.A_Expr, alias string, columns map[string]catalog.Column) []Filter {
	switch e.GetKind() {
	case pg_query.A_Expr_Kind_AEXPR_OP:
		if len(e.GetName()) != 1 {
			return nil
		}
		op := e.GetName()[0].GetString_().GetSval()
		if column, ok := columnOf(e.GetLexpr(), alias, columns); ok {
			return oneFilter(column, op, e.GetRexpr())
		}
		if column, ok := columnOf(e.GetRexpr(), alias, columns); ok {
			return oneFilter(column, mirrored(op), e.GetLexpr())
		}
	case pg_query.A_Expr_Kind_AEXPR_BETWEEN:
		bounds := e.GetRexpr().GetList().GetItems()
		column, ok := columnOf(e.GetLexpr(), alias, columns)
		if !ok || len(bounds) != 2 {
			return nil
		}
		return append(oneFilter(column, ">=", bounds[0]), oneFilter(column, "<=", bounds[1])...)
	default:
	}
	return nil
}

// mirrored is the operator with its sides swapped.
func mirrored(op string) string {
	switch op {
	case "<":
		return ">"
	case "<=":
		return ">="
	case ">":
		return "<"
	case ">=":
		return "<="
	default:
		return op
	}
}

func columnOf(node *pg_query.Node, alias string, columns map[string]catalog.Column) (catalog.Column, bool) {
	fields := node.GetColumnRef().GetFields()
	if len(fields) == 0 {
		return catalog.Column{}, false
	}
	// A qualifier can only be the table's own: there is no other item in FROM.
	if len(fields) == 2 && fields[0].GetString_().GetSval() != alias {
		return catalog.Column{}, false
	}
	column, ok := columns[fields[len(fields)-1].GetString_().GetSval()]
	return column, ok
}

func oneFilter(column catalog.Column, op string, value *pg_query.Node) []Filter {
	class := classOf(column.Type)
	if !class.allows(op) {
		return nil
	}
	if param := value.GetParamRef(); param != nil && param.GetNumber() > 0 {
		if class == numerics {
			return nil // a parameter may be declared in double precision, which compares otherwise
		}
		return []Filter{{Column: column, Op: op, Param: int(param.GetNumber())}}
	}
	text, ok := constant(value, class)
	if !ok || !fits(column.Type, text) {
		return nil
	}
	return []Filter{{Column: column, Op: op, Value: text}}
}

// fits tells whether a constant is one of the column's type as it is: nothing of it is rounded, and it is
// in range.
func fits(typ, text string) bool {
	bits := map[string]int{"smallint": 16, "integer": 32, "bigint": 64}[typ]
	if bits > 0 {
		_, err := strconv.ParseInt(text, 10, bits)
		return err == nil
	}
	_, rest, modified := strings.Cut(typ, "(")
	if !modified {
		return true
	}
	modifiers, _, _ := strings.Cut(rest, ")")
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	switch precision, scale, exact := strings.Cut(modifiers, ","); {
	case exact:
		p, _ := strconv.Atoi(precision)
		s, _ := strconv.Atoi(scale)
		return len(fraction) <= s && len(strings.TrimLeft(whole, "0")) <= p-s
	case strings.HasPrefix(typ, "timestamp"):
		p, _ := strconv.Atoi(precision)
		digits := strings.IndexFunc(fraction, func(r rune) bool { return r < '0' || r > '9' })
		return digits <= p && (digits >= 0 || len(fraction) <= p)
	default:
		return true
	}
}

// comparisonClass sorts types by what of a comparison means the same everywhere.
type comparisonClass int

const (
	incomparable comparisonClass = iota
	integers
	numerics
	dates
	timestamps
	zonedTimestamps
	uuids
	booleans
	texts
)

// classOf leaves out what compares differently elsewhere: floating point against a numeric constant,
// char(n) with its blanks, time with time zone, and types that other systems do not have.
func classOf(typ string) comparisonClass {
	base, _, _ := strings.Cut(typ, "(")
	switch base {
	case "smallint", "integer", "bigint":
		return integers
	case "numeric":
		return numerics
	case "date":
		return dates
	case "uuid":
		return uuids
	case "boolean":
		return booleans
	case "text", "character varying":
		if strings.HasSuffix(typ, "[]") {
			return incomparable
		}
		return texts
	case "timestamp", "timestamp without time zone":
		if strings.HasSuffix(typ, "with time zone") {
			return zonedTimestamps
		}
		return timestamps
	case "timestamp with time zone":
		return zonedTimestamps
	default:
		return incomparable
	}
}

// allows: texts are ordered by collation, so only equality is sent along; a system that does not tell
// upper from lower case finds more rows by it, never fewer.
func (c comparisonClass) allows(op string) bool {
	switch c {
	case incomparable:
		return false
	case texts, booleans, uuids:
		return op == "="
	default:
		switch op {
		case "=", "<>", "<", "<=", ">", ">=":
			return true
		default:
			return false
		}
	}
}

var (
	integerText   = regexp.MustCompile(`^-?[0-9]{1,18}$`)
	decimalText   = regexp.MustCompile(`^-?[0-9]{1,30}(\.[0-9]{1,30})?$`)
	dateText      = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)
	timestampText = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?$`)
	zonedText     = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}(:[0-9]{2})?)$`)
	uuidText      = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
)

// constant is the text of a constant that PostgreSQL would read as one of the column's type. Words like
// `now` and dates in the order of DateStyle are none.
func constant(node *pg_query.Node, class comparisonClass) (string, bool) {
	c := node.GetAConst()
	if c == nil || c.GetIsnull() {
		return "", false
	}
	switch v := c.GetVal().(type) {
	case *pg_query.A_Const_Ival:
		text := strconv.Itoa(int(v.Ival.GetIval()))
		return text, class == integers || class == numerics
	case *pg_query.A_Const_Fval:
		return v.Fval.GetFval(), class == numerics && decimalText.MatchString(v.Fval.GetFval()) ||
			class == integers && integerText.MatchString(v.Fval.GetFval())
	case *pg_query.A_Const_Boolval:
		if v.Boolval.GetBoolval() {
			return "t", class == booleans
		}
		return "f", class == booleans
	case *pg_query.A_Const_Sval:
		return stringConstant(v.Sval.GetSval(), class)
	default:
		return "", false
	}
}

// stringConstant reads a text as a value of a class, and spells it as PostgreSQL would write it out.
func stringConstant(text string, class comparisonClass) (string, bool) {
	switch class {
	case integers:
		return text, integerText.MatchString(text)
	case numerics:
		return text, decimalText.MatchString(text)
	case dates:
		return text, dateText.MatchString(text)
	case timestamps:
		return strings.Replace(text, "T", " ", 1), timestampText.MatchString(text)
	case zonedTimestamps:
		if zone, ok := strings.CutSuffix(text, "Z"); ok {
			return strings.Replace(zone, "T", " ", 1) + "+00", zonedText.MatchString(text)
		}
		return strings.Replace(text, "T", " ", 1), zonedText.MatchString(text)
	case uuids:
		return strings.ToLower(text), uuidText.MatchString(text)
	case booleans:
		switch text {
		case "t", "true":
			return "t", true
		case "f", "false":
			return "f", true
		}
		return "", false
	case texts:
		return text, true
	default:
		return "", false
	}
}
