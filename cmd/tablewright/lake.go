package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/home"
)

// lakeStatement registers the sample catalog: Iceberg in a folder of the gateway's own, its tables made
// by jobs.
const lakeStatement = `CREATE CATALOG lake COMMENT 'sample catalog' WITH (type = 'iceberg', catalog = 'sql',
 uri = %s, warehouse = %s, provisioning = 'job')`

// registerLake registers the catalog `lake` once in the life of a data folder: one that was dropped stays
// dropped.
func registerLake(ctx context.Context, db *home.Home, dataDir string, systems map[string]bind.System) error {
	dir := filepath.Join(dataDir, "lake")
	done := filepath.Join(dir, "registered")
	if _, err := os.Stat(done); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("sample catalog: %w", err)
	}
	warehouse := filepath.Join(dir, "warehouse")
	text := fmt.Sprintf(lakeStatement, catalog.QuoteLiteral("sqlite:///"+filepath.Join(dir, "catalog.db")),
		catalog.QuoteLiteral("file://"+warehouse))
	if err := pgx.BeginFunc(ctx, db.Pool(), func(tx pgx.Tx) error { return runAsGateway(ctx, db, tx, text, systems) }); err != nil {
		return fmt.Errorf("sample catalog: %w", err)
	}
	return os.WriteFile(done, nil, 0o600)
}

// runAsGateway runs a CREATE CATALOG on the gateway's own connection and gives the catalog to admin.
func runAsGateway(ctx context.Context, db *home.Home, tx pgx.Tx, text string, systems map[string]bind.System) error {
	statements, err := parse.Split(text)
	if err != nil {
		return err
	}
	st := &statements[0]
	snap, err := home.ReadSnapshot(ctx, home.PgxQuerier{Conn: tx.Conn()}, home.Wanted{Catalogs: bind.Requirements(st).Catalogs})
	if err != nil {
		return err
	}
	if len(snap.Catalogs) > 0 {
		return nil // another gateway of this home database has it
	}
	p, err := bind.Compile(st, snap, systems, bind.Settings{})
	if err != nil {
		return err
	}
	for _, h := range p.Home {
		if err := db.ExecTicketed(ctx, tx, h.SQL); err != nil {
			return err
		}
	}
	return db.ExecTicketed(ctx, tx, "alter server "+p.Target+" owner to "+catalog.QuoteIdent(home.AdminRole))
}
