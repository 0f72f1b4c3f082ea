package bind

import (
	"strconv"
	"strings"
	"sync"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// treeVersion is the version that pg_query's trees bear; it writes out no tree of another one.
//
//nolint:gochecknoglobals // read once, never changed
var treeVersion = sync.OnceValue(func() int32 {
	tree, err := pg_query.Parse("SELECT 1")
	if err != nil {
		return 0
	}
	return tree.GetVersion()
})

// expression is the text of an expression in PostgreSQL's own spelling.
func expression(node *pg_query.Node) (string, error) {
	if text, ok := plainConstant(node.GetAConst()); ok {
		return text, nil
	}
	return deparsed(node)
}

// plainConstant is the text of a constant whose spelling leaves no choice. Most defaults are one, and writing a tree out
// takes fifty times as long.
func plainConstant(c *pg_query.A_Const) (string, bool) {
	switch v := c.GetVal().(type) {
	case *pg_query.A_Const_Ival:
		return strconv.Itoa(int(v.Ival.GetIval())), v.Ival.GetIval() >= 0
	case *pg_query.A_Const_Boolval:
		return strconv.FormatBool(v.Boolval.GetBoolval()), true
	case *pg_query.A_Const_Sval:
		text := v.Sval.GetSval()
		return catalog.QuoteLiteral(text), !strings.Contains(text, `\`)
	default:
		return "", false
	}
}

// deparsed is the text of an expression as the parser's library writes it.
func deparsed(node *pg_query.Node) (string, error) {
	const prefix = "SELECT "
	sel := &pg_query.SelectStmt{
		TargetList:  []*pg_query.Node{{Node: &pg_query.Node_ResTarget{ResTarget: &pg_query.ResTarget{Val: node}}}},
		LimitOption: pg_query.LimitOption_LIMIT_OPTION_DEFAULT,
		Op:          pg_query.SetOperation_SETOP_NONE,
	}
	text, err := pg_query.Deparse(&pg_query.ParseResult{
		Version: treeVersion(),
		Stmts:   []*pg_query.RawStmt{{Stmt: &pg_query.Node{Node: &pg_query.Node_SelectStmt{SelectStmt: sel}}}},
	})
	if err != nil || !strings.HasPrefix(text, prefix) {
		return "", sqlerr.New(sqlerr.FeatureNotSupported, "the expression cannot be written out").WithCause(err)
	}
	return strings.TrimPrefix(text, prefix), nil
}
