package route

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

const (
	oneTableHint = "Queries may name one managed table; copy the others into home tables first."
	valuesHint   = "Write INSERT INTO … VALUES (…)."
	ctasHint     = "Create the table with CREATE TABLE, then INSERT INTO … VALUES (…)."
)

// selectStmt: one managed relation is read; nothing managed is written.
func selectStmt(q *question) Decision {
	sel := q.st.Node.GetSelectStmt()
	if q.has(parse.Target) {
		if sel.GetIntoClause() != nil {
			return q.refuseAs("SELECT INTO", ctasHint)
		}
		return q.refuseAs("WITH that changes rows", valuesHint)
	}
	if sel.GetIntoClause() != nil {
		return q.refuseAs("SELECT INTO", ctasHint)
	}
	if len(sel.GetLockingClause()) > 0 {
		return q.refuseAs("SELECT FOR UPDATE or FOR SHARE", "Leave the locking clause out: external rows are not locked.")
	}
	if second, ok := q.several(); ok {
		return q.severalRefused(second)
	}
	return Decision{Route: HomeRewritten, Rows: ReadsRows}
}

func (q *question) severalRefused(second named) Decision {
	position := 0
	if !second.Span.Empty() {
		position = q.st.Position(second.Span.Start)
	}
	return Decision{Route: Refused, Err: sqlerr.New(sqlerr.FeatureNotSupported,
		`a query that names more than one managed table is not supported: "%s" and "%s"`,
		q.managed[0].full, second.full).WithHint(oneTableHint).At(position)}
}

// insertStmt: rows that are written out go into one managed relation.
func insertStmt(q *question) Decision {
	ins := q.st.Node.GetInsertStmt()
	switch {
	case !q.has(parse.Target):
		return q.refuseAs("INSERT … SELECT from a managed table", oneTableHint)
	case q.has(parse.Read) || ins.GetWithClause() != nil:
		return q.refuseAs("INSERT … SELECT", valuesHint)
	case ins.GetSelectStmt() != nil && !isValues(ins.GetSelectStmt().GetSelectStmt()):
		return q.refuseAs("INSERT … SELECT", valuesHint)
	case ins.GetOnConflictClause() != nil:
		return q.refuseAs("INSERT … ON CONFLICT", valuesHint)
	case len(ins.GetReturningList()) > 0:
		return q.refuseAs("INSERT … RETURNING", valuesHint)
	}
	return Decision{Route: HomeRewritten, Rows: WritesRows}
}

// isValues tells whether a query is a bare VALUES list.
func isValues(sel *pg_query.SelectStmt) bool {
	return len(sel.GetValuesLists()) > 0 && len(sel.GetSortClause()) == 0 && sel.GetLimitCount() == nil &&
		sel.GetLimitOffset() == nil && sel.GetWithClause() == nil && len(sel.GetLockingClause()) == 0
}

// createStmt: what is made decides; only a copy of a definition may refer to something managed.
func createStmt(q *question) Decision {
	temporary := q.st.Node.GetCreateStmt().GetRelation().GetRelpersistence() == "t"
	switch {
	case q.has(parse.Target) && !temporary:
		return Decision{Route: Ours}
	case q.has(parse.References):
		return q.refuseAs("a foreign key of a home table", "Only a view may depend on a managed table.")
	case q.has(parse.Parent):
		return q.refuseAs("inheritance", "Only a view may depend on a managed table.")
	}
	return Decision{Route: HomeRewritten}
}

// viewStmt: a view over managed tables is a view like any other, at home.
func viewStmt(q *question) Decision {
	if q.has(parse.Target) {
		return q.refuseAs("CREATE VIEW in the schema of a catalog", "Create the view in a schema of the home database.")
	}
	return Decision{Route: HomeRewritten}
}

// dropStmt: the kind of object decides.
func dropStmt(q *question) Decision {
	switch kind := q.st.Node.GetDropStmt().GetRemoveType(); kind {
	case pg_query.ObjectType_OBJECT_TABLE, pg_query.ObjectType_OBJECT_SCHEMA,
		pg_query.ObjectType_OBJECT_FOREIGN_SERVER:
		return Decision{Route: Ours}
	case pg_query.ObjectType_OBJECT_INDEX, pg_query.ObjectType_OBJECT_TRIGGER, pg_query.ObjectType_OBJECT_RULE,
		pg_query.ObjectType_OBJECT_POLICY, pg_query.ObjectType_OBJECT_STATISTIC_EXT:
		return q.refuseAs("DROP of this kind of object", "Managed tables have none.")
	default:
		// The name is one of a table: home says that it is no view.
		return Decision{Route: HomeRewritten}
	}
}

// commentStmt: a catalog's comment is kept at home, behind the guard; others belong to the external object.
func commentStmt(q *question) Decision {
	switch q.st.Node.GetCommentStmt().GetObjtype() {
	case pg_query.ObjectType_OBJECT_FOREIGN_SERVER, pg_query.ObjectType_OBJECT_TABLE, pg_query.ObjectType_OBJECT_COLUMN:
		return Decision{Route: Ours}
	default:
		return q.refuseAs("COMMENT ON this kind of object", "Tables and columns have comments.")
	}
}

// alterTable: the grammar has one node for ALTER of all kinds of relation.
func alterTable(q *question) Decision {
	if q.st.Node.GetAlterTableStmt().GetObjtype() != pg_query.ObjectType_OBJECT_TABLE {
		return Decision{Route: HomeRewritten}
	}
	return Decision{Route: Ours}
}

// renameStmt: what is named decides.
func renameStmt(q *question) Decision {
	s := q.st.Node.GetRenameStmt()
	switch s.GetRenameType() {
	case pg_query.ObjectType_OBJECT_TABLE, pg_query.ObjectType_OBJECT_TABCONSTRAINT, pg_query.ObjectType_OBJECT_FOREIGN_SERVER:
		return Decision{Route: Ours}
	case pg_query.ObjectType_OBJECT_COLUMN:
		if s.GetRelationType() == pg_query.ObjectType_OBJECT_TABLE {
			return Decision{Route: Ours}
		}
		return Decision{Route: HomeRewritten}
	case pg_query.ObjectType_OBJECT_VIEW, pg_query.ObjectType_OBJECT_MATVIEW, pg_query.ObjectType_OBJECT_SEQUENCE,
		pg_query.ObjectType_OBJECT_INDEX, pg_query.ObjectType_OBJECT_FOREIGN_TABLE:
		return Decision{Route: HomeRewritten} // home says that it is none
	default:
		return q.refuse()
	}
}

// copyStmt names the way that works.
func copyStmt(q *question) Decision {
	if q.st.Node.GetCopyStmt().GetIsFrom() {
		return q.refuseAs("COPY FROM", valuesHint)
	}
	return q.refuseAs("COPY TO", "Write SELECT.")
}

// createTableAs tells materialized views and tables apart.
func createTableAs(q *question) Decision {
	if q.st.Node.GetCreateTableAsStmt().GetObjtype() == pg_query.ObjectType_OBJECT_MATVIEW {
		return q.refuseAs("CREATE MATERIALIZED VIEW", "Create a view.")
	}
	return q.refuseAs("CREATE TABLE AS", ctasHint)
}

// alterOwner: rights of catalogs and schemas are the home database's, but a guard watches the shadows.
func alterOwner(q *question) Decision {
	if q.kind(parse.CatalogName) {
		return Decision{Route: Ours}
	}
	return q.refuse()
}
