package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

const (
	// showCreateQuery answers a definition as a row; showCreateStandIn has its shape.
	showCreateQuery   = "select $1::pg_catalog.text as definition"
	showCreateStandIn = "select ''::pg_catalog.text as definition limit 0"
	// mayShowQuery tells whether the role has any right on a relation.
	mayShowQuery = "select (" + visibleTable + ")::pg_catalog.text from (values ($1::pg_catalog.oid)) c(oid)"
)

// runShowCreate answers the statement that would make an object.
func (s *Session) runShowCreate(ctx context.Context, st *routed, ext *parse.ShowCreate, e *execution) error {
	if e.portal != nil && e.portal.lines != nil {
		return s.rows(ctx, e, showCreateStandIn, "SHOW", false) // its row has been shown
	}
	text, err := s.definition(ctx, st, ext)
	if err != nil {
		return err
	}
	if e.portal != nil {
		e.portal.lines = []string{}
	}
	return s.rows(ctx, e, showCreateQuery, "SHOW", e.portal != nil && e.maxRows == 1, []byte(text))
}

func (s *Session) definition(ctx context.Context, st *routed, ext *parse.ShowCreate) (string, error) {
	snap, err := s.snapshot(ctx, st.parsed)
	if err != nil {
		return "", err
	}
	if ext.Kind == "CATALOG" {
		return s.catalogDefinition(ctx, st, ext.Name[0], snap)
	}
	if err := bind.Unknown(st.parsed, snap); err != nil {
		return "", err
	}
	rel, err := bind.Shown(st.parsed, snap)
	if err != nil {
		return "", err
	}
	oid := fmt.Sprint(rel.OID)
	allowed, err := s.QueryText(ctx, mayShowQuery, oid)
	if err != nil {
		return "", err
	}
	if allowed != "true" {
		return "", sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for %s %s", kindOf(rel), rel.HomeName).
			At(st.parsed.Position(ext.Name.Span().Start))
	}
	if ext.Kind == "VIEW" {
		return s.viewDefinition(ctx, rel)
	}
	find, err := s.tablesByPath(ctx, rel)
	if err != nil {
		return "", err
	}
	return bind.CreateTableText(snap.Catalogs[rel.Catalog], rel, find), nil
}

func kindOf(rel catalog.Relation) string {
	if rel.Kind == 'v' {
		return "view"
	}
	return "table"
}

// catalogDefinition shows a catalog to those who may use it.
func (s *Session) catalogDefinition(ctx context.Context, st *routed, name parse.Ident, snap *catalog.Snapshot) (string, error) {
	cat, ok := snap.Catalogs[name.Value]
	position := st.parsed.Position(name.Start)
	if !ok {
		return "", sqlerr.New(sqlerr.UndefinedObject, "catalog \"%s\" does not exist", name.Value).At(position)
	}
	r, err := s.query(ctx, `select pg_catalog.has_server_privilege($1::pg_catalog.oid, 'USAGE')::pg_catalog.text,
 coalesce(pg_catalog.obj_description($1::pg_catalog.oid, 'pg_foreign_server'), '')`, texts(fmt.Sprint(cat.OID))...)
	if err != nil {
		return "", err
	}
	if string(r.Rows[0][0]) != "true" {
		return "", sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for catalog %s", cat.Name).At(position)
	}
	return bind.CreateCatalogText(cat, string(r.Rows[0][1])), nil
}

// viewDefinition shows a view of the home database, names with their schemas.
func (s *Session) viewDefinition(ctx context.Context, rel catalog.Relation) (string, error) {
	text, err := s.QueryText(ctx, "select tablewright.view($1::pg_catalog.oid)::pg_catalog.text", fmt.Sprint(rel.OID))
	if err != nil {
		return "", err
	}
	var view struct {
		Definition string   `json:"definition"`
		Options    []string `json:"options"`
	}
	if err := json.Unmarshal([]byte(text), &view); err != nil {
		return "", fmt.Errorf("view %s: %w", rel.HomeName, err)
	}
	return bind.CreateViewText(rel, view.Definition, view.Options), nil
}

// tablesByPath finds the tables that foreign keys of a table may refer to.
func (s *Session) tablesByPath(ctx context.Context, rel catalog.Relation) (bind.ByPath, error) {
	text, err := s.QueryText(ctx, `select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object(
 'schema', n.nspname, 'name', c.relname, 'path', x.path)), '[]')::pg_catalog.text
 from tablewright.relation x join pg_catalog.pg_class c on c.oid = x.oid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where x.catalog = $1 and x.path[pg_catalog.array_upper(x.path, 1)] = any ($2::pg_catalog.text[])`, rel.Catalog, pathArray(rel))
	if err != nil {
		return nil, err
	}
	var found []struct {
		Schema, Name string
		Path         []string
	}
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return nil, errors.Join(errors.New("tables by path"), err)
	}
	return func(path []string) catalog.Name {
		for _, f := range found {
			if fmt.Sprint(f.Path) == fmt.Sprint(path) {
				return bind.HomeTable(rel.Catalog, f.Schema, f.Name)
			}
		}
		return catalog.Name{}
	}, nil
}

// pathArray is an array of the names of external tables that the table's foreign keys refer to.
func pathArray(rel catalog.Relation) string {
	values := [][]byte{}
	for _, c := range rel.Table.Constraints {
		if c.Kind == catalog.ForeignKey {
			if path := bind.Referenced(c.Definition); len(path) > 0 {
				values = append(values, []byte(path[len(path)-1]))
			}
		}
	}
	return string(textArray(values))
}
