package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/ddl/catalog"
)

// identityOfTable is oid and xmin of the relation. The xmin is taken from a system column's row, which
// equals that of pg_class when the table is made and, unlike it, is not changed by ALTER TABLE or
// GRANT. A view has no system columns.
const identityOfTable = `c.oid::text || ':' || coalesce(
	(SELECT a.xmin::text FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tableoid' AND a.attnum < 0),
	c.xmin::text)`

const relationQuery = `SELECT ` + relationColumns + relationFrom

// madeRelationQuery reads a relation that the transaction itself has made, with the transaction's id.
const madeRelationQuery = `SELECT ` + currentID + `, ` + relationColumns + relationFrom

const relationColumns = identityOfTable + `, c.relkind::text, coalesce(obj_description(c.oid, 'pg_class'), ''),
	coalesce(pg_get_partkeydef(c.oid), ''), coalesce(c.reloptions, '{}'),
	coalesce((SELECT json_agg(json_build_object(
			'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'notNull', a.attnotnull,
			'default', coalesce(pg_get_expr(d.adbin, d.adrelid), ''), 'identity', a.attidentity,
			'generated', a.attgenerated <> '', 'comment', coalesce(col_description(a.attrelid, a.attnum), ''))
		ORDER BY a.attnum)
		FROM pg_catalog.pg_attribute a
		LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
		WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped), '[]'),
	coalesce((SELECT json_agg(json_build_object(
			'name', o.conname, 'kind', o.contype, 'definition', pg_get_constraintdef(o.oid),
			'columns', (SELECT coalesce(json_agg(a.attname ORDER BY k.n), '[]')
				FROM unnest(o.conkey) WITH ORDINALITY k(num, n)
				JOIN pg_catalog.pg_attribute a ON a.attrelid = o.conrelid AND a.attnum = k.num))
		ORDER BY o.conname)
		FROM pg_catalog.pg_constraint o
		WHERE o.conrelid = c.oid AND o.contype IN ('p', 'u', 'f', 'c')), '[]')`

const relationFrom = `
	FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE n.nspname = $1 AND c.relname = $2`

// schemaQuery reads a schema's identity: its rows have no companion that GRANT leaves alone.
const schemaQuery = `SELECT ` + schemaColumns

const (
	schemaColumns   = `n.oid::text || ':' || n.xmin::text FROM pg_catalog.pg_namespace n WHERE n.nspname = $1`
	madeSchemaQuery = `SELECT ` + currentID + `, ` + schemaColumns
)

// relation is what the server's catalogue says of a relation.
type relation struct {
	identity    string
	kind        string // relkind
	comment     string
	partKey     string
	options     []string
	columns     []column
	constraints []constraint
}

type column struct {
	Name      string `json:"name"`
	Type      string `json:"type"`
	NotNull   bool   `json:"notNull"`
	Default   string `json:"default"`
	Identity  string `json:"identity"` // a, d or empty
	Generated bool   `json:"generated"`
	Comment   string `json:"comment"`
}

type constraint struct {
	Name       string   `json:"name"`
	Kind       string   `json:"kind"` // p, u, f, c
	Definition string   `json:"definition"`
	Columns    []string `json:"columns"`
}

// queryer is a connection, in a transaction or not.
type queryer interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// The two queries for relations are planned once a connection: planning takes longer than running them.
const (
	stmtRelation     = "tablewright_relation"
	stmtMadeRelation = "tablewright_made_relation"
)

// readRelation returns nil when there is none of that name.
func readRelation(ctx context.Context, c *conn, n name) (*relation, error) {
	if _, err := c.Conn.Conn().Prepare(ctx, stmtRelation, relationQuery); err != nil {
		return nil, err
	}
	found, err := scanRelation(c.QueryRow(ctx, stmtRelation, n.schema, n.table))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return found, err
}

// scanRelation reads a row of relationQuery, with other columns before it.
func scanRelation(row pgx.Row, before ...any) (*relation, error) {
	var r relation
	var columns, constraints []byte
	err := row.Scan(append(before, &r.identity, &r.kind, &r.comment, &r.partKey, &r.options, &columns, &constraints)...)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(columns, &r.columns); err != nil {
		return nil, err
	}
	return &r, json.Unmarshal(constraints, &r.constraints)
}

// readSchema returns a schema's identity, empty when there is none of that name.
func readSchema(ctx context.Context, q queryer, schema string) (string, error) {
	var identity string
	err := q.QueryRow(ctx, schemaQuery, schema).Scan(&identity)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return identity, err
}

// table is the relation in the terms of a definition.
func (r *relation) table(full catalog.Name) catalog.Table {
	t := catalog.Table{Name: full, Comment: r.comment, Partitioning: parsePartKey(r.partKey)}
	for _, c := range r.columns {
		col := catalog.Column{Name: c.Name, Type: c.Type, NotNull: c.NotNull, Identity: identityWords(c.Identity), Comment: c.Comment}
		if !c.Generated {
			col.Default = c.Default
		}
		t.Columns = append(t.Columns, col)
	}
	for _, c := range r.constraints {
		if c.Kind == "p" {
			t.PrimaryKey = c.Columns
			continue
		}
		t.Constraints = append(t.Constraints, catalog.Constraint{Name: c.Name, Kind: constraintKind(c.Kind), Definition: c.Definition})
	}
	for _, o := range r.options {
		name, value, _ := strings.Cut(o, "=")
		t.Options = append(t.Options, catalog.Option{Name: name, Value: value})
	}
	return t
}

func identityWords(attidentity string) string {
	switch attidentity {
	case "a":
		return "ALWAYS"
	case "d":
		return "BY DEFAULT"
	default:
		return ""
	}
}

func constraintKind(contype string) catalog.ConstraintKind {
	switch contype {
	case "c":
		return catalog.Check
	case "u":
		return catalog.Unique
	default:
		return catalog.ForeignKey
	}
}

// kindName is PostgreSQL's word for a relkind.
func kindName(relkind string) string {
	switch relkind {
	case "r", "p":
		return "table"
	case "v":
		return "view"
	case "m":
		return "materialized view"
	case "f":
		return "foreign table"
	case "S":
		return "sequence"
	case "i", "I":
		return "index"
	case "c":
		return "composite type"
	default:
		return "relation"
	}
}
