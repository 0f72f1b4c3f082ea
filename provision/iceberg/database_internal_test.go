package iceberg

import (
	"database/sql"
	"path/filepath"
	"sync"
	"testing"
)

// Of many that open a catalogue which is not there yet, each finds both of its tables.
func TestManyOpenANewCatalogue(t *testing.T) {
	t.Parallel()
	for range 20 {
		path := filepath.Join(t.TempDir(), "catalog.db")
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				d, err := openDatabase(t.Context(), path)
				if err != nil {
					t.Errorf("open: %v", err)
					return
				}
				defer func() { _ = d.close() }() // nothing was written
				if _, err := (&rowStore{db: d, catalog: "c"}).namespace(t.Context(), "n"); err != nil {
					t.Errorf("namespace: %v", err)
				}
			})
		}
		group.Wait()
	}
}

// A catalogue whose making stopped between its two tables is completed.
func TestHalfACatalogueIsCompleted(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "catalog.db")
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), `CREATE TABLE iceberg_tables (catalog_name, table_namespace, table_name,
		metadata_location, previous_metadata_location)`); err != nil {
		t.Fatal(err)
	}
	d, err := openDatabase(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.close() }()
	if _, err := (&rowStore{db: d, catalog: "c"}).namespace(t.Context(), "n"); err != nil || d.typed {
		t.Errorf("namespace: %v, typed: %v", err, d.typed)
	}
}
