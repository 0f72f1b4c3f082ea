package parse

import pg_query "github.com/pganalyze/pg_query_go/v6"

// ColumnRef is a reference to a column, or with Star to all columns of something.
type ColumnRef struct {
	Fields []string // id, orders.id, …; without the star
	Star   bool
	Offset int // in bytes of the statement's Text
}

// ColumnRefs are all references to columns in a statement, in subqueries too.
func ColumnRefs(s *Statement) []ColumnRef {
	var refs []ColumnRef
	Walk(s.Node, func(message any) bool {
		var node *pg_query.ColumnRef
		switch m := message.(type) {
		case *pg_query.ColumnRef:
			node = m
		case *pg_query.A_Const, *pg_query.ParamRef, *pg_query.TypeName, *pg_query.String, *pg_query.Alias,
			*pg_query.RangeVar:
			return false
		default:
			return true
		}
		ref := ColumnRef{Offset: int(node.GetLocation())}
		for _, field := range node.GetFields() {
			if field.GetAStar() != nil {
				ref.Star = true
			} else if name := field.GetString_(); name != nil {
				ref.Fields = append(ref.Fields, name.GetSval())
			}
		}
		refs = append(refs, ref)
		return false
	})
	return refs
}

// NameAt is the place of the dotted name of count parts that starts at a byte offset of Text, and its
// parts uncut.
func (s *Statement) NameAt(offset, count int) (parts []string, span Span, ok bool) {
	return s.nameAt(offset, count)
}
