package bind

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/plan"
)

// comment is COMMENT ON TABLE or COLUMN of a managed table: the system keeps it too.
func (c *compiler) comment(s *pg_query.CommentStmt) (*plan.Plan, error) {
	a, err := c.newAlteration()
	if err != nil {
		return nil, err
	}
	if a.target.rel == nil {
		return a.absent("COMMENT"), nil
	}
	if err := a.ready(); err != nil {
		return nil, err
	}
	switch s.GetObjtype() {
	case pg_query.ObjectType_OBJECT_TABLE:
		a.table.Comment = s.GetComment()
	case pg_query.ObjectType_OBJECT_COLUMN:
		parts := stringList(s.GetObject().GetList().GetItems())
		i := columnIndex(a.table, parts[len(parts)-1])
		if i < 0 {
			return nil, a.noColumn(parts[len(parts)-1], false)
		}
		a.table.Columns[i].Comment = s.GetComment()
	default:
		return nil, a.unsupported("COMMENT ON this kind of object", c.st.Position(0))
	}
	return a.plan("COMMENT", a.homeText())
}
