package e2e

import (
	"database/sql"
	"path/filepath"

	_ "github.com/mattn/go-sqlite3" // the lake's catalogue, read without the gateway
)

// lakeHas asks the lake's catalogue itself for a table.
func (f *faults) lakeHas(schema, table string) bool {
	f.t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(f.gateway.dir, "lake", "catalog.db")+"?mode=ro")
	if err != nil {
		f.t.Fatal(err)
	}
	defer db.Close()
	var n int
	err = db.QueryRowContext(f.t.Context(),
		"select count(*) from iceberg_tables where table_namespace = ? and table_name = ?", schema, table).Scan(&n)
	if err != nil {
		f.t.Fatal(err)
	}
	return n > 0
}
