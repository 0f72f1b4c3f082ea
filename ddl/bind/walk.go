package bind

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// columnRefs are all references to columns in an expression.
func columnRefs(node *pg_query.Node) []*pg_query.ColumnRef {
	var refs []*pg_query.ColumnRef
	walk(node.ProtoReflect(), func(m protoreflect.Message) {
		if ref, ok := m.Interface().(*pg_query.ColumnRef); ok {
			refs = append(refs, ref)
		}
	})
	return refs
}

// walk visits a message and all within it.
func walk(m protoreflect.Message, visit func(protoreflect.Message)) {
	if !m.IsValid() {
		return
	}
	visit(m)
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.Message() == nil:
		case field.IsList():
			list := value.List()
			for i := range list.Len() {
				walk(list.Get(i).Message(), visit)
			}
		default:
			walk(value.Message(), visit)
		}
		return true
	})
}

// lastPart is the column's own name in a reference.
func lastPart(ref *pg_query.ColumnRef) string {
	fields := ref.GetFields()
	return fields[len(fields)-1].GetString_().GetSval()
}
