// Package iceberg provisions namespaces and tables of Apache Iceberg catalogues, which it reads and
// writes itself, with no other engine.
//
// The catalogue is a SQL one: the two tables of Iceberg's JDBC catalogue (iceberg_tables and
// iceberg_namespace_properties) in a SQLite file, beside a warehouse folder, so that pyiceberg, Trino or
// Spark read and write the same tables. iceberg-go does metadata, data files and scans; the catalogue's
// rows and all files go through this package, because three things must hold that iceberg-go's own SQL
// catalogue leaves open: a table is made with an identity that was persisted before, it is dropped only
// while it is still the same, and no path in a catalogue or in metadata leads out of the allowed folders.
//
// A table's identity is its table-uuid. What a job made bears the table property tablewright.job-id.
package iceberg

import (
	"context"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/provision"
)

// Options tunes an Opener.
type Options struct {
	// Allow lists the folders in which catalogue files and warehouses may lie. They must exist. Symbolic
	// links are resolved first; nothing outside is read or written. Empty allows nothing.
	Allow []string
}

// Opener opens catalogs of type iceberg.
type Opener struct {
	options Options
}

var _ provision.Opener = (*Opener)(nil)

// New returns an opener.
func New(options Options) *Opener { return &Opener{options: options} }

// Open opens the catalogue, whose file and tables are made when they are absent, and checks that it
// answers.
func (o *Opener) Open(
	ctx context.Context, c catalog.Catalog, secrets provision.SecretResolver,
) (provision.Provisioner, error) {
	if err := checkCatalog(c); err != nil {
		return nil, err
	}
	settings, err := readSettings(ctx, c, secrets)
	if err != nil {
		return nil, err
	}
	allowed, err := newFolders(o.options.Allow)
	if err != nil {
		return nil, openError(ctx, c.Name, err)
	}
	file, err := allowed.catalogFile(settings.uri)
	if err != nil {
		return nil, openError(ctx, c.Name, err)
	}
	warehouse, err := allowed.warehouse(settings.warehouse)
	if err != nil {
		return nil, openError(ctx, c.Name, err)
	}
	db, err := openDatabase(ctx, file)
	if err != nil {
		return nil, openError(ctx, c.Name, err)
	}
	return &System{
		catalog: c.Name, rows: &rowStore{db: db, catalog: settings.catalogName}, files: &fileStore{folders: allowed},
		warehouse: warehouse, defaultSchema: settings.defaultSchema,
	}, nil
}
