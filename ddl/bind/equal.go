package bind

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/tablewright/tablewright/ddl/catalog"
)

// sameExpression tells whether an expression as it is written means one that PostgreSQL has printed. The
// printed one has casts of constants and columns, and simpler operators, that people do not write.
func sameExpression(written, printed string) bool {
	if written == printed {
		return true
	}
	a, okA := plainExpression(written)
	b, okB := plainExpression(printed)
	return okA && okB && a == b
}

// plainExpression writes an expression in the one form in which both are compared.
func plainExpression(text string) (string, bool) {
	tree, err := pg_query.Parse("SELECT " + text)
	if err != nil || len(tree.GetStmts()) != 1 {
		return "", false
	}
	targets := tree.GetStmts()[0].GetStmt().GetSelectStmt().GetTargetList()
	if len(targets) != 1 || targets[0].GetResTarget().GetName() != "" {
		return "", false
	}
	node := proto.Clone(targets[0].GetResTarget().GetVal()).(*pg_query.Node)
	simplify(node.ProtoReflect())
	written, err := expression(node)
	return written, err == nil
}

// simplify rewrites all nodes of a message, the inner ones first.
func simplify(m protoreflect.Message) {
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.Message() == nil:
		case field.IsList():
			for i := range value.List().Len() {
				simplify(value.List().Get(i).Message())
			}
		default:
			simplify(value.Message())
		}
		return true
	})
	node, ok := m.Interface().(*pg_query.Node)
	if !ok {
		return
	}
	switch {
	case node.GetTypeCast() != nil && isSimple(node.GetTypeCast().GetArg()):
		node.Node = node.GetTypeCast().GetArg().GetNode()
	case node.GetAExpr() != nil:
		simplifyOperator(node)
	}
}

// isSimple tells whether a cast of a node changes nothing but how it is printed.
func isSimple(node *pg_query.Node) bool {
	return node.GetAConst() != nil || node.GetColumnRef() != nil || node.GetAArrayExpr() != nil
}

// simplifyOperator writes IN, BETWEEN and LIKE as the operators that they stand for.
func simplifyOperator(node *pg_query.Node) {
	e := node.GetAExpr()
	switch e.GetKind() {
	case pg_query.A_Expr_Kind_AEXPR_IN:
		e.Kind = pg_query.A_Expr_Kind_AEXPR_OP_ANY
		if e.GetName()[0].GetString_().GetSval() == "<>" {
			e.Kind = pg_query.A_Expr_Kind_AEXPR_OP_ALL
		}
		array := &pg_query.A_ArrayExpr{Elements: e.GetRexpr().GetList().GetItems()}
		e.Rexpr = &pg_query.Node{Node: &pg_query.Node_AArrayExpr{AArrayExpr: array}}
	case pg_query.A_Expr_Kind_AEXPR_LIKE, pg_query.A_Expr_Kind_AEXPR_ILIKE:
		e.Kind = pg_query.A_Expr_Kind_AEXPR_OP
	case pg_query.A_Expr_Kind_AEXPR_BETWEEN:
		bounds := e.GetRexpr().GetList().GetItems()
		both := &pg_query.BoolExpr{Boolop: pg_query.BoolExprType_AND_EXPR, Args: []*pg_query.Node{
			operator(">=", e.GetLexpr(), bounds[0]), operator("<=", e.GetLexpr(), bounds[1]),
		}}
		node.Node = &pg_query.Node_BoolExpr{BoolExpr: both}
	default: // as it is
	}
}

func operator(symbol string, left, right *pg_query.Node) *pg_query.Node {
	name := &pg_query.Node{Node: &pg_query.Node_String_{String_: &pg_query.String{Sval: symbol}}}
	return &pg_query.Node{Node: &pg_query.Node_AExpr{AExpr: &pg_query.A_Expr{
		Kind: pg_query.A_Expr_Kind_AEXPR_OP, Name: []*pg_query.Node{name}, Lexpr: left, Rexpr: right,
	}}}
}

// sameConstraint tells whether a constraint as it is written is one that is there.
func sameConstraint(written, there catalog.Constraint) bool {
	if written.Kind != there.Kind || written.Name != "" && written.Name != there.Name {
		return false
	}
	if written.Definition == there.Definition {
		return true
	}
	a, errA := constraintNode(written)
	b, errB := constraintNode(there)
	if errA != nil || errB != nil {
		return false
	}
	for _, node := range []*pg_query.Constraint{a, b} {
		node.Conname = ""
		if node.GetRawExpr() != nil {
			simplify(node.GetRawExpr().ProtoReflect())
		}
	}
	textA, errA := constraintText(a)
	textB, errB := constraintText(b)
	return errA == nil && errB == nil && textA == textB
}
