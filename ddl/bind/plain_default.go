package bind

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/parse"
)

// PlainDefault tells whether the default of a column in another database means the same in the home database,
// and is safe to be evaluated there: a constant, or the current time.
func PlainDefault(text string) bool {
	statements, err := parse.Split("SELECT (" + text + "\n)")
	if err != nil || len(statements) != 1 || statements[0].Node.GetSelectStmt() == nil {
		return false
	}
	sel := statements[0].Node.GetSelectStmt()
	if len(sel.GetTargetList()) != 1 || len(sel.GetFromClause()) > 0 || sel.GetWhereClause() != nil {
		return false
	}
	target := sel.GetTargetList()[0].GetResTarget()
	return target.GetName() == "" && plainValue(target.GetVal())
}

func plainValue(node *pg_query.Node) bool {
	if node.GetAConst() != nil {
		return true
	}
	if op := node.GetSqlvalueFunction().GetOp(); op >= pg_query.SQLValueFunctionOp_SVFOP_CURRENT_DATE &&
		op <= pg_query.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP_N {
		return true // the others are about roles
	}
	if cast := node.GetTypeCast(); cast != nil {
		_, known := builtinType(cast.GetTypeName())
		return known && cast.GetArg().GetAConst() != nil
	}
	call := node.GetFuncCall()
	names := call.GetFuncname()
	return len(names) == 1 && names[0].GetString_().GetSval() == "now" && len(call.GetArgs()) == 0 && call.GetOver() == nil &&
		call.GetAggFilter() == nil && !call.GetAggStar() && !call.GetAggDistinct()
}
