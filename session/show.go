package session

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// showJobsMax is how many jobs SHOW JOBS lists without a LIMIT.
const showJobsMax = 100

// translate makes of a SHOW or DESCRIBE statement the query that answers it in the home database: shapes,
// formats, cursors and the failed state are then the home server's own. It is nil for other statements.
func translate(st *parse.Statement) *plan.Rewrite {
	switch ext := st.Extension.(type) {
	case *parse.ShowJobs:
		return showJobs(st, ext)
	case *parse.ShowObjects:
		return madeUp(showObjects(ext))
	case *parse.Describe:
		return describeRelation(st, ext)
	case *parse.Job:
		if ext.Verb == parse.ShowJob {
			return around(st, ext.ID.Span, "select j.* from tablewright.known_job(", quoted(ext.ID.Value), "::pg_catalog.uuid) k, tablewright.show_job(k) j")
		}
	}
	return nil
}

// around writes a text around what a part of the statement becomes: errors about that stand at the part.
func around(st *parse.Statement, part parse.Span, before, text, after string) *plan.Rewrite {
	return plan.NewRewrite(st.Text, []plan.Edit{
		{Start: 0, End: part.Start, Text: before},
		{Start: part.Start, End: part.End, Text: text},
		{Start: part.End, End: len(st.Text), Text: after},
	})
}

// placeJob says of an unknown job where the statement names it, instead of which function found out.
func placeJob(m *pgproto3.ErrorResponse, st *routed) {
	if job, ok := st.parsed.Extension.(*parse.Job); ok && m.Code == sqlerr.UndefinedObject {
		m.Where, m.Position = "", int32(st.parsed.Position(job.ID.Start)) //nolint:gosec // a position in a message
	}
}

func quoted(value string) string { return strings.TrimSpace(catalog.QuoteLiteral(value)) }

func showJobs(st *parse.Statement, ext *parse.ShowJobs) *plan.Rewrite {
	query, limit := "select * from tablewright.show_jobs", fmt.Sprint(showJobsMax)
	if ext.Limit.Value != "" {
		limit = ext.Limit.Value
	}
	order := " order by created desc, job_id desc limit " + limit
	if ext.Where.Value == "" {
		return madeUp(query + order)
	}
	where := ext.Where.Span
	return plan.NewRewrite(st.Text, []plan.Edit{
		{Start: 0, End: where.Start, Text: query + " where ("},
		{Start: where.End, End: len(st.Text), Text: "\n)" + order},
	})
}

// The conditions by which SHOW leaves out what the role has no right on.
const (
	visibleServer = `(pg_catalog.has_server_privilege(s.oid, 'USAGE') or exists (select from tablewright.managed_schema m
 where m.catalog = s.srvname and pg_catalog.has_schema_privilege(m.oid, 'USAGE, CREATE')))`
	visibleSchema = `pg_catalog.has_schema_privilege(m.oid, 'USAGE, CREATE')`
	visibleTable  = `(pg_catalog.has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
 or pg_catalog.has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))`
)

// showObjects lists what the role may see: the catalogs and schemas that it may use, the tables on which it has a
// right.
func showObjects(ext *parse.ShowObjects) string {
	var query, name string
	var conditions []string
	switch ext.Objects {
	case parse.Catalogs:
		name = "s.srvname"
		conditions = append(conditions, visibleServer)
		query = `select s.srvname::pg_catalog.text as name, w.fdwname::pg_catalog.text as type,
 pg_catalog.pg_get_userbyid(s.srvowner)::pg_catalog.text as owner,
 (select pg_catalog.count(*) from tablewright.relation r where r.catalog = s.srvname) as tables,
 pg_catalog.obj_description(s.oid, 'pg_foreign_server') as comment
 from tablewright.catalog c join pg_catalog.pg_foreign_server s on s.oid = c.server
 join pg_catalog.pg_foreign_data_wrapper w on w.oid = s.srvfdw where %s order by 1`
	case parse.Schemas:
		name = "m.name"
		conditions = append(conditions, visibleSchema)
		query = `select m.name, m.catalog from tablewright.managed_schema m where %s order by 1`
		if len(ext.From) > 0 {
			conditions = append(conditions, "m.catalog = "+catalog.QuoteLiteral(ext.From[0].Value))
		}
	case parse.Tables:
		name = "c.relname"
		conditions = append(conditions, visibleTable)
		query = `select n.nspname::pg_catalog.text as schema, c.relname::pg_catalog.text as name, r.catalog,
 pg_catalog.pg_get_userbyid(c.relowner)::pg_catalog.text as owner, r.state
 from tablewright.relation r join pg_catalog.pg_class c on c.oid = r.oid
 join pg_catalog.pg_namespace n on n.oid = c.relnamespace where %s order by 1, 2`
		if len(ext.From) > 0 {
			from := catalog.QuoteLiteral(strings.Join(ext.From.Strings(), "."))
			conditions = append(conditions, "(n.nspname = "+from+" or r.catalog = "+from+")")
		}
	}
	if ext.Like != nil {
		conditions = append(conditions, name+" like "+catalog.QuoteLiteral(ext.Like.Value))
	}
	return fmt.Sprintf(query, strings.Join(conditions, " and "))
}

// describeRelation lists the columns of a relation; a name that is none is the home database's error.
func describeRelation(st *parse.Statement, ext *parse.Describe) *plan.Rewrite {
	parts := ext.Name.Strings()
	if len(parts) == 3 {
		parts = []string{parts[0] + "." + parts[1], parts[2]}
	}
	for i, part := range parts {
		parts[i] = catalog.QuoteIdent(part)
	}
	return around(st, ext.Name.Span(), `select a.attname::pg_catalog.text as column, pg_catalog.format_type(a.atttypid, a.atttypmod) as type,
 not a.attnotnull as nullable, pg_catalog.pg_get_expr(d.adbin, d.adrelid) as default,
 coalesce(a.attnum = any (k.conkey), false) as key, pg_catalog.col_description(a.attrelid, a.attnum) as comment
 from pg_catalog.pg_attribute a left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
 left join pg_catalog.pg_constraint k on k.conrelid = a.attrelid and k.contype = 'p'
 where a.attrelid = `, quoted(strings.Join(parts, ".")), `::pg_catalog.regclass
 and a.attnum > 0 and not a.attisdropped order by a.attnum`)
}
