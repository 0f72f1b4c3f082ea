package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// mayRead checks the rights that a SELECT of the shadow would need: of the session's role, or of those that read
// through views.
func (s *Session) mayRead(ctx context.Context, r *bind.Read, readers []string) (forms, error) {
	if len(readers) == 0 {
		readers = []string{""}
	}
	conditions := make([]string, len(readers))
	for i, role := range readers {
		conditions[i] = "(" + readCondition(r.Relation, r.Columns, role) + ")"
	}
	return s.may(ctx, strings.Join(conditions, " and "), r.Relation)
}

// mayReadView checks the right to read a view; role is empty for the session's own.
func (s *Session) mayReadView(ctx context.Context, view catalog.Relation, role string) error {
	allowed, err := s.QueryText(ctx, "select ("+readCondition(view, view.Table.Columns, role)+")::pg_catalog.text")
	if err != nil {
		return err
	}
	if allowed != "true" {
		return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for view %s", view.HomeName)
	}
	return nil
}

// readCondition tells in SQL whether a role, or when it is empty the session's own, may read columns of a relation.
func readCondition(rel catalog.Relation, columns []catalog.Column, role string) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = catalog.QuoteLiteral(c.Name)
	}
	who := "current_user"
	if role != "" {
		who = catalog.QuoteLiteral(role) + "::pg_catalog.name"
	}
	return fmt.Sprintf(`pg_catalog.has_table_privilege(%[3]s, %[1]d::pg_catalog.oid, 'SELECT') or not exists (
 select from pg_catalog.unnest(array[%[2]s]::pg_catalog.text[]) c where not pg_catalog.has_column_privilege(%[3]s, %[1]d::pg_catalog.oid, c, 'SELECT'))`,
		rel.OID, strings.Join(names, ", "), who)
}
