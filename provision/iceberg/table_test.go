package iceberg_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

func checkCode(t *testing.T, what string, err error, code string) *sqlerr.Error {
	t.Helper()
	e, ok := errors.AsType[*sqlerr.Error](err)
	if !ok || e.Code != code {
		t.Fatalf("%s: %v, want %s", what, err, code)
	}
	return e
}

func partitioned() plan.Resource {
	r := ordersResource()
	r.Table.Columns = []catalog.Column{
		{Name: "id", Type: "bigint", NotNull: true, Comment: "key"},
		{Name: "region", Type: "text", NotNull: true},
		{Name: "ts", Type: "timestamp with time zone"},
		{Name: "price", Type: "numeric(10,2)"},
		{Name: "tags", Type: "text[]"},
		{Name: "Name", Type: "character varying(20)"},
		{Name: "day", Type: "date"},
	}
	r.Table.PrimaryKey = []string{"id", "region"}
	r.Table.Comment = "partitioned orders"
	r.Table.Partitioning = []catalog.Transform{
		{Transform: "days", Columns: []string{"ts"}},
		{Transform: "bucket", Columns: []string{"id"}, Args: []string{"4"}},
		{Columns: []string{"region"}},
		{Transform: "truncate", Columns: []string{"Name"}, Args: []string{"2"}},
		{Transform: "year", Columns: []string{"day"}},
	}
	r.Table.Options = catalog.Options{
		{Name: "sort_order", Value: `region, days(ts) DESC, "Name" ASC NULLS LAST`},
		{Name: "write.parquet.compression-codec", Value: "snappy"},
	}
	return r
}

// What is made is read by an engine that shares no code with this one: schema, identifier fields,
// partition spec, sort order, properties and rows.
func TestReadByPyiceberg(t *testing.T) {
	l, p := openLake(t)
	r := partitioned()
	made, err := p.Create(t.Context(), r, provision.Call{})
	if err != nil || !made.UpToDate {
		t.Fatalf("create: %v, %v", made.Diff, err)
	}
	rows := [][][]byte{
		{[]byte("1"), []byte("eu"), []byte("2024-02-29 23:59:59.5+00"), []byte("1.50"), []byte("{a,NULL}"), []byte("alpha"), []byte("2024-02-29")},
		{[]byte("2"), []byte("us/west"), []byte("1969-12-31 00:00:00-05"), nil, nil, nil, nil},
	}
	if _, err := p.(provision.Writer).Write(t.Context(), r, r.Table.Columns, rows); err != nil {
		t.Fatalf("write: %v", err)
	}
	got, err := l.read(t.Context(), r.Path)
	if err != nil {
		t.Fatal(err)
	}
	text := func(s string) *string { return &s }
	want := &pyTable{
		UUID: made.Identity, FormatVersion: 2, Location: made.Outputs[0].Value, Identifiers: []string{"id", "region"},
		Columns: []pyColumn{
			{ID: 1, Name: "id", Type: "long", Required: true, Doc: "key"},
			{ID: 2, Name: "region", Type: "string", Required: true},
			{ID: 3, Name: "ts", Type: "timestamptz"},
			{ID: 4, Name: "price", Type: "decimal(10, 2)"},
			{ID: 5, Name: "tags", Type: "list<string>"},
			// 6 is the list's element.
			{ID: 7, Name: "Name", Type: "string"},
			{ID: 8, Name: "day", Type: "date"},
		},
		Partitions: []pyPartition{
			{Source: "ts", Transform: "day", Name: "ts_day"},
			{Source: "id", Transform: "bucket[4]", Name: "id_bucket_4"},
			{Source: "region", Transform: "identity", Name: "region"},
			{Source: "Name", Transform: "truncate[2]", Name: "Name_trunc_2"},
			{Source: "day", Transform: "year", Name: "day_year"},
		},
		SortOrder: []string{"region identity ASC NULLS_FIRST", "ts day DESC NULLS_LAST", "Name identity ASC NULLS_LAST"},
		Properties: map[string]string{
			"comment": "partitioned orders", "tablewright.job-id": r.JobID, "write.parquet.compression-codec": "snappy",
		},
		Names: []string{"id", "region", "ts", "price", "tags", "Name", "day"},
		Rows: [][]*string{
			{text("1"), text("eu"), text("2024-02-29 23:59:59.5+00"), text("1.50"), text("{a,NULL}"), text("alpha"), text("2024-02-29")},
			{text("2"), text("us/west"), text("1969-12-31 05:00:00+00"), nil, nil, nil, nil},
		},
		Snapshots: 1,
	}
	byID := cmpopts.SortSlices(func(a, b []*string) bool { return *a[0] < *b[0] })
	if d := cmp.Diff(want, got, byID); d != "" {
		t.Fatalf("pyiceberg sees another table (-want +got):\n%s", d)
	}
}

// And what pyiceberg writes is read here.
func TestReadFromPyiceberg(t *testing.T) {
	l, p := openLake(t)
	r := ordersResource()
	if _, err := p.Create(t.Context(), r, provision.Call{}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.python(t.Context(), "testdata/append.py", r.Path, `{"id": 7, "note": "from pyiceberg"}`); err != nil {
		t.Fatal(err)
	}
	got := scanAll(t, p, provision.ScanRequest{Resource: r, Columns: r.Table.Columns})
	if d := cmp.Diff([]string{"7|from pyiceberg"}, got); d != "" {
		t.Fatalf("rows (-want +got):\n%s", d)
	}
	o, err := p.Observe(t.Context(), r)
	if err != nil || !o.UpToDate {
		t.Fatalf("after pyiceberg's append: %v, %v", o.Diff, err)
	}
}

// scanAll gives rows as text, values joined by |.
func scanAll(t *testing.T, p provision.Provisioner, req provision.ScanRequest) []string {
	t.Helper()
	rows, err := p.(provision.Scanner).Scan(t.Context(), req)
	if err != nil {
		t.Fatalf("scan: %v", err)
	}
	defer rows.Close()
	var all []string
	for rows.Next(t.Context()) {
		var texts []string
		for _, v := range rows.Values() {
			texts = append(texts, string(v))
		}
		all = append(all, strings.Join(texts, "|"))
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("scan: %v", err)
	}
	return all
}

func TestPartitioningOption(t *testing.T) {
	l, p := openLake(t)
	r := partitioned()
	r.Table.Partitioning = nil
	r.Table.Options = append(r.Table.Options, catalog.Option{Name: "partitioning", Value: `days(ts), BUCKET(4, id), region, truncate(2, "Name"), year(day)`})
	made, err := p.Create(t.Context(), r, provision.Call{})
	if err != nil || !made.UpToDate {
		t.Fatalf("create: %v, %v", made.Diff, err)
	}
	want := []catalog.Transform{
		{Transform: "days", Columns: []string{"ts"}},
		{Transform: "bucket", Columns: []string{"id"}, Args: []string{"4"}},
		{Columns: []string{"region"}},
		{Transform: "truncate", Columns: []string{"Name"}, Args: []string{"2"}},
		{Transform: "years", Columns: []string{"day"}},
	}
	if d := cmp.Diff(want, made.Found.Partitioning); d != "" {
		t.Fatalf("partitioning (-want +got):\n%s", d)
	}
	tests := []struct{ value, code string }{
		{"days(region)", sqlerr.DatatypeMismatch},
		{"hours(day)", sqlerr.DatatypeMismatch},
		{"bucket(4, price), bucket(4, tags)", sqlerr.DatatypeMismatch},
		{"bucket(id)", sqlerr.InvalidParameterValue},
		{"bucket(0, id)", sqlerr.InvalidParameterValue},
		{"days(3, ts)", sqlerr.InvalidParameterValue},
		{"days(nobody)", sqlerr.InvalidParameterValue},
		{"name", sqlerr.InvalidParameterValue}, // "Name" is meant
		{"range(id)", sqlerr.FeatureNotSupported},
		{"days(ts) DESC", sqlerr.InvalidParameterValue},
		{"days(ts", sqlerr.InvalidParameterValue},
		{"days(ts), day(ts)", sqlerr.InvalidParameterValue},
		{"region,,id", sqlerr.InvalidParameterValue},
		{`"Name`, sqlerr.InvalidParameterValue},
	}
	for _, test := range tests {
		r := r
		r.Table.Options = catalog.Options{{Name: "partitioning", Value: test.value}}
		checkCode(t, test.value, l.Opener.Check(l.Catalog, r), test.code)
	}
	twice := partitioned()
	twice.Table.Options = catalog.Options{{Name: "partitioning", Value: "region"}}
	checkCode(t, "partitioning given twice", l.Opener.Check(l.Catalog, twice), sqlerr.InvalidParameterValue)
	for _, order := range []string{"region DOWN", "region NULLS", "days(", "region DESC ASC"} {
		r := partitioned()
		r.Table.Options = catalog.Options{{Name: "sort_order", Value: order}}
		checkCode(t, order, l.Opener.Check(l.Catalog, r), sqlerr.InvalidParameterValue)
	}
}

func TestUnsupported(t *testing.T) {
	l, p := openLake(t)
	tests := []struct {
		name   string
		change func(*catalog.Table)
		code   string
	}{
		{"default", func(t *catalog.Table) { t.Columns[0].Default = "1" }, sqlerr.FeatureNotSupported},
		{"identity", func(t *catalog.Table) { t.Columns[0].Identity = "ALWAYS" }, sqlerr.FeatureNotSupported},
		{"check", func(t *catalog.Table) { t.Constraints = []catalog.Constraint{{Kind: catalog.Check}} }, sqlerr.FeatureNotSupported},
		{"unique", func(t *catalog.Table) { t.Constraints = []catalog.Constraint{{Kind: catalog.Unique}} }, sqlerr.FeatureNotSupported},
		{"foreign key", func(t *catalog.Table) { t.Constraints = []catalog.Constraint{{Kind: catalog.ForeignKey}} }, sqlerr.FeatureNotSupported},
		{"no columns", func(t *catalog.Table) { t.Columns = nil }, sqlerr.FeatureNotSupported},
		{"float key", func(t *catalog.Table) { t.Columns[0].Type = "real"; t.PrimaryKey = []string{"id"} }, sqlerr.DatatypeMismatch},
		{"unknown key", func(t *catalog.Table) { t.PrimaryKey = []string{"nobody"} }, sqlerr.InvalidParameterValue},
		{"format", func(t *catalog.Table) { t.Options = catalog.Options{{Name: "format_version", Value: "7"}} }, sqlerr.InvalidParameterValue},
		{"place", func(t *catalog.Table) { t.Options = catalog.Options{{Name: "write.data.path", Value: "file:///etc"}} }, sqlerr.FeatureNotSupported},
	}
	for _, test := range tests {
		r := ordersResource()
		test.change(&r.Table)
		checkCode(t, test.name, l.Opener.Check(l.Catalog, r), test.code)
		_, err := p.Create(t.Context(), r, provision.Call{})
		checkCode(t, test.name, err, test.code)
	}
	for _, kind := range []string{"rest", "glue", "hive"} {
		c := l.catalog("other", catalog.Option{Name: "catalog", Value: kind})
		e := checkCode(t, kind, l.Opener.Check(c, plan.Resource{Kind: plan.CatalogKind}), sqlerr.FeatureNotSupported)
		if !strings.Contains(e.Hint, "sql") {
			t.Fatalf("hint for %s is %q", kind, e.Hint)
		}
	}
}

func TestConverges(t *testing.T) {
	l, p := openLake(t)
	bare := ordersResource()
	bare.Table.Columns = []catalog.Column{{Name: "id", Type: "bigint"}, {Name: "region", Type: "text"}, {Name: "old", Type: "real"}}
	bare.Table.Options = catalog.Options{{Name: "format_version", Value: "1"}, {Name: "partitioning", Value: "bucket(2, id)"}, {Name: "purge", Value: "false"}}
	full := partitioned()
	full.JobID = bare.JobID
	if _, err := p.Create(t.Context(), bare, provision.Call{}); err != nil {
		t.Fatal(err)
	}
	for _, wanted := range []plan.Resource{full, bare, full} {
		seen, err := p.Observe(t.Context(), wanted)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Update(t.Context(), wanted, seen, provision.Call{}); err != nil {
			t.Fatalf("update: %v; differences were %q", describe(err), seen.Diff)
		}
		after, err := p.Observe(t.Context(), wanted)
		if err != nil || !after.UpToDate {
			t.Fatalf("after update: %q, %v", after.Diff, err)
		}
	}
	if _, err := l.read(t.Context(), full.Path); err != nil {
		t.Fatal(err)
	}
	// With rows in it, the table cannot promise what they do not have.
	row := [][][]byte{{[]byte("1"), []byte("eu")}}
	if _, err := p.(provision.Writer).Write(t.Context(), full, full.Table.Columns[:2], row); err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(*catalog.Table){
		func(t *catalog.Table) { t.Columns[2].NotNull = true },
		func(t *catalog.Table) {
			t.Columns = append(t.Columns, catalog.Column{Name: "more", Type: "text", NotNull: true})
		},
		func(t *catalog.Table) { t.Columns[0].Type = "text" },
		func(t *catalog.Table) { t.Columns[3].Type = "numeric(8,2)" },
	} {
		r := partitioned()
		change(&r.Table)
		seen, err := p.Observe(t.Context(), r)
		if err != nil || seen.UpToDate {
			t.Fatalf("observe: %+v, %v", seen, err)
		}
		checkCode(t, strings.Join(seen.Diff, "; "), p.Update(t.Context(), r, seen, provision.Call{}), sqlerr.FeatureNotSupported)
	}
}

func describe(err error) string {
	if e, ok := errors.AsType[*sqlerr.Error](err); ok {
		return e.Message + " | " + e.Detail
	}
	return err.Error()
}

func TestPurge(t *testing.T) {
	write := func(p provision.Provisioner, r plan.Resource) {
		if _, err := p.(provision.Writer).Write(t.Context(), r, r.Table.Columns, [][][]byte{{[]byte("1"), nil}}); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name    string
		options catalog.Options
		kept    bool
	}{
		{"by default", nil, false},
		{"purge = false", catalog.Options{{Name: "purge", Value: "false"}}, true},
		{"gc.enabled = false", catalog.Options{{Name: "gc.enabled", Value: "false"}}, true},
		{"purge = true", catalog.Options{{Name: "purge", Value: "true"}, {Name: "gc.enabled", Value: "false"}}, false},
	}
	for _, test := range tests {
		l, p := openLake(t)
		r := ordersResource()
		r.Table.Options = test.options
		if _, err := p.Create(t.Context(), r, provision.Call{}); err != nil {
			t.Fatal(err)
		}
		write(p, r)
		if err := p.Delete(t.Context(), r, provision.Call{}); err != nil {
			t.Fatal(err)
		}
		if files := l.files(t); (len(files) > 0) != test.kept {
			t.Errorf("%s: files are %v", test.name, files)
		}
	}
	// A stranger's table has a folder that others may use too: only its own files go.
	l, p := openLake(t)
	r := ordersResource()
	if err := l.makeTable(t.Context(), r.Path); err != nil {
		t.Fatal(err)
	}
	r.Table.Columns = []catalog.Column{{Name: "n", Type: "integer"}}
	if _, err := p.(provision.Writer).Write(t.Context(), r, r.Table.Columns, [][][]byte{{[]byte("1")}}); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(l.dir, "warehouse/sales.db/orders/mine.txt")
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Delete(t.Context(), r, provision.Call{}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{mine}, l.files(t)); d != "" {
		t.Fatalf("files (-want +got):\n%s", d)
	}
}

// A table whose metadata file is lost can be dropped, by the identity that its folder bears.
func TestMetadataLost(t *testing.T) {
	l, p := openLake(t)
	r := ordersResource()
	made, err := p.Create(t.Context(), r, provision.Call{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(l.dir, "warehouse", "sales")); err != nil {
		t.Fatal(err)
	}
	_, err = p.Observe(t.Context(), r)
	checkCode(t, "observe", err, sqlerr.IOError)
	r.Identity = "123e4567-e89b-12d3-a456-426614174000"
	checkCode(t, "delete of another", p.Delete(t.Context(), r, provision.Call{}), sqlerr.ObjectInUse)
	r.Identity = made.Identity
	if err := p.Delete(t.Context(), r, provision.Call{}); err != nil {
		t.Fatal(err)
	}
}

// Catalogues from before views have no column iceberg_type.
func TestOldCatalogue(t *testing.T) {
	l := newLake(t)
	db, err := sql.Open("sqlite3", "file:"+l.file())
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`CREATE TABLE iceberg_tables (catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL,
			table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000),
			PRIMARY KEY (catalog_name, table_namespace, table_name))`,
		`CREATE TABLE iceberg_namespace_properties (catalog_name VARCHAR(255) NOT NULL, namespace VARCHAR(255) NOT NULL,
			property_key VARCHAR(255) NOT NULL, property_value VARCHAR(1000) NOT NULL, PRIMARY KEY (catalog_name, namespace, property_key))`,
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	p := l.open(t, l.Catalog)
	if _, err := p.Create(t.Context(), plan.Resource{Kind: plan.SchemaKind, Path: []string{"sales"}}, provision.Call{}); err != nil {
		t.Fatal(err)
	}
	r := ordersResource()
	if _, err := p.Create(t.Context(), r, provision.Call{}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.(provision.Writer).Write(t.Context(), r, r.Table.Columns, [][][]byte{{[]byte("1"), nil}}); err != nil {
		t.Fatal(err)
	}
	tables, err := p.(provision.Describer).Tables(t.Context(), "sales")
	if err != nil || len(tables) != 1 {
		t.Fatalf("tables are %v, %v", tables, err)
	}
	if _, err := l.read(t.Context(), r.Path); err != nil {
		t.Fatal(err)
	}
	if err := p.Delete(t.Context(), r, provision.Call{}); err != nil {
		t.Fatal(err)
	}
}

// The catalog's name may change; catalog_name says under which name the rows are.
func TestCatalogName(t *testing.T) {
	l, p := openLake(t)
	r := ordersResource()
	made, err := p.Create(t.Context(), r, provision.Call{})
	if err != nil {
		t.Fatal(err)
	}
	renamed := l.open(t, l.catalog("pond", catalog.Option{Name: "catalog_name", Value: "lake"}))
	if o, err := renamed.Observe(t.Context(), r); err != nil || o.Identity != made.Identity {
		t.Fatalf("under the old name: %+v, %v", o, err)
	}
	fresh := l.open(t, l.catalog("pond"))
	if o, err := fresh.Observe(t.Context(), r); err != nil || o.Exists {
		t.Fatalf("under another name: %+v, %v", o, err)
	}
}
