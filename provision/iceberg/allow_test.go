package iceberg_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
	"github.com/tablewright/tablewright/provision/iceberg"
)

func TestOutsideOfAllowedFolders(t *testing.T) {
	l := newLake(t)
	outside := t.TempDir()
	link := filepath.Join(l.dir, "link")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	dangling := filepath.Join(l.dir, "dangling")
	if err := os.Symlink(filepath.Join(outside, "later"), dangling); err != nil {
		t.Fatal(err)
	}
	uri, warehouse := "uri", "warehouse"
	tests := []struct{ option, value, code string }{
		{uri, "sqlite:///" + outside + "/catalog.db", sqlerr.InsufficientPrivilege},
		{uri, "sqlite:///" + link + "/catalog.db", sqlerr.InsufficientPrivilege},
		{uri, "sqlite:///" + dangling, sqlerr.InsufficientPrivilege},
		{uri, "sqlite:///" + l.dir + "/../catalog.db", sqlerr.InsufficientPrivilege},
		{uri, "sqlite:///" + l.dir + "x/catalog.db", sqlerr.InsufficientPrivilege},
		{uri, "sqlite:///" + l.dir + "/c.db?mode=memory", sqlerr.InvalidParameterValue},
		{uri, "postgresql://db/iceberg", sqlerr.InvalidParameterValue},
		{uri, "catalog.db", sqlerr.InvalidParameterValue},
		{warehouse, "file://" + outside, sqlerr.InsufficientPrivilege},
		{warehouse, outside, sqlerr.InsufficientPrivilege},
		{warehouse, "file://" + link + "/w", sqlerr.InsufficientPrivilege},
		{warehouse, "file://" + dangling, sqlerr.InsufficientPrivilege},
		{warehouse, "s3://bucket/w", sqlerr.InvalidParameterValue},
		{warehouse, "file://host/w", sqlerr.InvalidParameterValue},
		{warehouse, "relative", sqlerr.InvalidParameterValue},
	}
	for _, test := range tests {
		_, err := l.Opener.Open(t.Context(), l.catalog("out", catalog.Option{Name: test.option, Value: test.value}), nil)
		checkCode(t, test.option+" "+test.value, err, test.code)
	}
	_, err := iceberg.New(iceberg.Options{}).Open(t.Context(), l.Catalog, nil)
	checkCode(t, "open where nothing is allowed", err, sqlerr.InsufficientPrivilege)
	if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
		t.Fatalf("outside there are %v, %v", entries, err)
	}
}

// An allowed folder may itself be reached by a link.
func TestAllowedByLink(t *testing.T) {
	l := newLake(t)
	link := filepath.Join(t.TempDir(), "data")
	if err := os.Symlink(l.dir, link); err != nil {
		t.Fatal(err)
	}
	c := l.catalog("lake", catalog.Option{Name: "uri", Value: "sqlite:///" + link + "/catalog.db"},
		catalog.Option{Name: "warehouse", Value: "file://" + link + "/warehouse"})
	p, err := iceberg.New(iceberg.Options{Allow: []string{link}}).Open(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(l.file()); err != nil {
		t.Fatal(err)
	}
}

// A catalogue's rows and a table's metadata may name any path; none outside is read or removed.
func TestRowsLeadOutside(t *testing.T) {
	l, p := openLake(t)
	r := ordersResource()
	made, err := p.Create(t.Context(), r, provision.Call{})
	if err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	victim := filepath.Join(outside, "victim.json")
	metadata := strings.TrimPrefix(made.Outputs[1].Value, "file://")
	content, err := os.ReadFile(metadata)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(victim, content, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(l.dir, "warehouse", "link.json")
	if err := os.Symlink(victim, link); err != nil {
		t.Fatal(err)
	}
	for _, location := range []string{"file://" + victim, victim, "file://" + l.dir + "/../" + filepath.Base(outside) + "/victim.json", "file://" + link} {
		l.setLocation(t, location)
		_, err := p.Observe(t.Context(), r)
		if err == nil || strings.Contains(err.Error(), "table-uuid") {
			t.Fatalf("metadata at %s was read: %v", location, err)
		}
		if err := p.Delete(t.Context(), r, provision.Call{}); err == nil {
			t.Fatalf("table with metadata at %s was deleted", location)
		}
	}
	// Metadata inside, whose table lies outside: its folder is left alone.
	moved := strings.ReplaceAll(string(content), made.Outputs[0].Value, "file://"+outside)
	if err := os.WriteFile(metadata, []byte(moved), 0o600); err != nil {
		t.Fatal(err)
	}
	l.setLocation(t, "file://"+metadata)
	_, err = p.(provision.Writer).Write(t.Context(), r, r.Table.Columns, [][][]byte{{[]byte("1"), nil}})
	checkCode(t, "write to a table that lies outside", err, sqlerr.InsufficientPrivilege)
	_ = p.Delete(t.Context(), r, provision.Call{}) // whatever it says
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Fatalf("outside there are %v, %v", entries, err)
	}
}

func (l *lake) setLocation(t *testing.T, location string) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+l.file())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "UPDATE iceberg_tables SET metadata_location = ?", location); err != nil {
		t.Fatal(err)
	}
}
