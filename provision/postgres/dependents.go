package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/provision"
)

// dependentsQuery lists what keeps an object from being dropped with RESTRICT, and the relation that each
// is or belongs to: a view by its rule, a foreign key by its table. A table is also depended on by its
// row type.
const dependentsQuery = `WITH target AS (
		SELECT $1::text::pg_catalog.regclass::oid AS classid, $2::text::oid AS objid
		UNION ALL SELECT 'pg_catalog.pg_type'::pg_catalog.regclass, t FROM pg_catalog.pg_type y, unnest(ARRAY[y.oid, y.typarray]) t
			WHERE $1::text = 'pg_class' AND y.typrelid = $2::text::oid
	), found AS (
		SELECT DISTINCT d.classid, CASE WHEN r.oid IS NULL THEN d.objid ELSE r.ev_class END AS objid, r.oid IS NOT NULL AS rule,
			coalesce(r.ev_class, nullif(k.conrelid, 0), CASE WHEN d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass THEN d.objid END) AS relation
		FROM target JOIN pg_catalog.pg_depend d ON d.refclassid = target.classid AND d.refobjid = target.objid AND d.deptype = 'n'
		LEFT JOIN pg_catalog.pg_rewrite r ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND r.oid = d.objid
		LEFT JOIN pg_catalog.pg_constraint k ON d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass AND k.oid = d.objid
	)
	SELECT pg_catalog.pg_describe_object(CASE WHEN rule THEN 'pg_catalog.pg_class'::pg_catalog.regclass ELSE found.classid END, found.objid, 0),
		coalesce(n.nspname::text, ''), coalesce(c.relname::text, '')
	FROM found LEFT JOIN pg_catalog.pg_class c ON c.oid = found.relation LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE found.relation IS DISTINCT FROM $2::text::oid OR $1::text <> 'pg_class'
	ORDER BY 1 LIMIT 100`

// readDependents reads what depends on the object of an identity; catalogue is pg_class or pg_namespace.
func readDependents(ctx context.Context, c *conn, catalogue, identity string) ([]provision.Dependent, error) {
	oid, _, _ := strings.Cut(identity, ":")
	rows, err := c.Query(ctx, dependentsQuery, catalogue, oid)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (provision.Dependent, error) {
		var d provision.Dependent
		var schema, relation string
		if err := row.Scan(&d.Description, &schema, &relation); err != nil {
			return d, err
		}
		if relation != "" {
			d.Path = []string{schema, relation}
		}
		return d, nil
	})
	if len(found) == 0 {
		return nil, err
	}
	return found, err
}
