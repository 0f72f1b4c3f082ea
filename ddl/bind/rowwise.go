package bind

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/parse"
)

// rowWise tells whether the answer of a query over one table is made row by row. Of functions only
// those are known to be neither aggregates nor set-returning that are listed; with any other the query
// is run over all rows at once, which is never wrong.
func rowWise(sel *pg_query.SelectStmt) bool {
	plain := len(sel.GetDistinctClause()) == 0 && len(sel.GetGroupClause()) == 0 && sel.GetHavingClause() == nil &&
		len(sel.GetWindowClause()) == 0 && len(sel.GetSortClause()) == 0 && sel.GetLimitCount() == nil &&
		sel.GetLimitOffset() == nil && len(sel.GetLockingClause()) == 0 && sel.GetWithClause() == nil &&
		sel.GetIntoClause() == nil && !sel.GetGroupDistinct() && len(sel.GetTargetList()) > 0
	if !plain {
		return false
	}
	wise := true
	parse.Walk(sel, func(message any) bool {
		switch m := message.(type) {
		case *pg_query.FuncCall:
			wise = wise && scalarCall(m)
		case *pg_query.SubLink, *pg_query.RangeSubselect, *pg_query.RangeFunction, *pg_query.JoinExpr,
			*pg_query.GroupingFunc, *pg_query.JsonArrayAgg, *pg_query.JsonObjectAgg, *pg_query.JsonTable,
			*pg_query.CurrentOfExpr:
			wise = false
		}
		return wise
	})
	return wise
}

// scalarCall tells whether a call is one of a function that has one answer a row.
func scalarCall(call *pg_query.FuncCall) bool {
	if call.GetAggStar() || call.GetAggDistinct() || call.GetAggFilter() != nil || call.GetOver() != nil ||
		call.GetAggWithinGroup() || len(call.GetAggOrder()) > 0 {
		return false
	}
	names := call.GetFuncname()
	if len(names) == 2 && names[0].GetString_().GetSval() == "pg_catalog" {
		names = names[1:]
	}
	return len(names) == 1 && scalarFunction(names[0].GetString_().GetSval())
}

// scalarFunction lists functions of pg_catalog whose every variant has one answer a row and the same
// answer throughout a transaction.
func scalarFunction(name string) bool {
	switch name {
	case "abs", "btrim", "ceil", "ceiling", "char_length", "character_length", "chr", "concat", "concat_ws", "date_part",
		"date_trunc", "decode", "encode", "exp", "extract", "floor", "format", "initcap", "length", "left", "like", "ln",
		"lower", "lpad", "ltrim", "make_date", "make_interval", "make_timestamp", "md5", "mod", "now", "octet_length",
		"overlay", "position", "power", "regexp_replace", "repeat", "replace", "reverse", "right", "round", "rpad", "rtrim",
		"sign", "split_part", "sqrt", "starts_with", "strpos", "substr", "substring", "timezone", "to_char", "to_date",
		"to_number", "to_timestamp", "translate", "trunc", "upper":
		return true
	default:
		return false
	}
}
