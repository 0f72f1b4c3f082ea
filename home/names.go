package home

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/home/listen"
)

// CatalogChannel is the notification channel of changes of catalogs, managed schemas and relations.
const CatalogChannel = "tablewright_catalog"

// Names are the names that a statement about a managed object has to have: none of them in it means that
// the statement is the home database's. The lists are sorted and without duplicates.
type Names struct {
	Catalogs  []string
	Schemas   []string // home names of managed schemas: kafka, lake.sales
	Relations []string // last parts only, those of views over managed ones too
}

// Managed reads the names as they are committed.
func (h *Home) Managed(ctx context.Context) (Names, error) {
	var n Names
	err := h.pool.QueryRow(ctx, `select
		array(select name from tablewright.catalog order by 1),
		array(select name from tablewright.managed_schema order by 1),
		array(with recursive v(oid) as (
			select oid from tablewright.relation
			union
			select r.ev_class from v join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = v.oid
				and d.classid = 'pg_rewrite'::regclass join pg_rewrite r on r.oid = d.objid
		) select distinct c.relname::text from v join pg_class c on c.oid = v.oid order by 1)`).
		Scan(&n.Catalogs, &n.Schemas, &n.Relations)
	if err != nil {
		return Names{}, fmt.Errorf("names of managed objects: %w", err)
	}
	return n, nil
}

// CatalogVersion tells the states of a catalog apart.
type CatalogVersion struct {
	Name       string `json:"name"`
	OID        uint32 `json:"oid"`
	Generation int64  `json:"generation"`
	Own        bool   `json:"own"` // changed by the transaction that asks
}

// Is tells whether a catalog is in that state.
func (v CatalogVersion) Is(c catalog.Catalog) bool {
	return v.Name == c.Name && v.OID == c.OID && v.Generation == c.Generation
}

// CatalogVersions reads the versions of catalogs as they are committed.
func (h *Home) CatalogVersions(ctx context.Context, names []string) ([]CatalogVersion, error) {
	rows, err := h.pool.Query(ctx, "select name, server, generation, false from tablewright.catalog where name = any ($1)", names)
	if err != nil {
		return nil, fmt.Errorf("versions of catalogs: %w", err)
	}
	versions, err := pgx.CollectRows(rows, pgx.RowToStructByPos[CatalogVersion])
	if err != nil {
		return nil, fmt.Errorf("versions of catalogs: %w", err)
	}
	return versions, nil
}

// Listen calls changed when a change of the managed objects was committed, and whenever its connection is
// new, on the caller's goroutine, until ctx ends. It has a connection of its own.
func (h *Home) Listen(ctx context.Context, changed func()) error {
	return listen.Listen(ctx, h.endpoint.pool.ConnConfig, CatalogChannel, func(string) { changed() }, changed,
		func(err error) { h.opts.Log.Warn().Err(err).Msg("connection to the home database lost") })
}
