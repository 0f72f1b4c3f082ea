package provisiontest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// typesTable is a table with a key and one column of each type.
func (b *bench) typesTable() plan.Resource {
	columns := []catalog.Column{{Name: "key", Type: "integer", NotNull: true}}
	for i, typ := range b.config.Types {
		columns = append(columns, column(fmt.Sprintf("c%d", i), typ.SQL))
	}
	return b.resource("types", columns...)
}

func testTypes(t *testing.T, c Config) {
	b := open(t, c)
	r := b.typesTable()
	if err := b.Opener.Check(b.Catalog, r); err != nil {
		t.Fatalf("check: %v", describe(err))
	}
	b.mustCreate(r)
	seen := b.mustObserve(r)
	if !seen.UpToDate {
		t.Fatalf("a fresh table is not up to date: %v", seen.Diff)
	}
	for i, typ := range c.Types {
		want := typ.SQL
		if typ.Found != "" {
			want = typ.Found
		}
		if got := seen.Found.Columns[i+1].Type; got != want {
			t.Errorf("%s came back as %s, want %s", typ.SQL, got, want)
		}
	}
	for _, typ := range c.Types {
		single := b.resource("single", column("v", typ.SQL))
		made := b.mustCreate(single)
		if !made.UpToDate {
			t.Errorf("table of one %s is not up to date: %v", typ.SQL, made.Diff)
		}
		if err := b.Delete(b.ctx(), single, provision.Call{}); err != nil {
			t.Fatalf("delete: %v", describe(err))
		}
	}
}

func testTypesRefused(t *testing.T, c Config) {
	b := open(t, c)
	for _, typ := range c.Refused {
		r := b.resource("refused", column("good", "integer"), column("bad one", typ))
		err := b.Opener.Check(b.Catalog, r)
		b.mustFail("check of type "+typ, err, sqlerr.DatatypeMismatch)
		var e *sqlerr.Error
		if errors.As(err, &e) && (e.Column != "bad one" || e.Hint == "") {
			t.Fatalf("error for %s names column %q and hints %q", typ, e.Column, e.Hint)
		}
		_, err = b.Create(b.ctx(), r, provision.Call{})
		b.mustFail("create with type "+typ, err, sqlerr.DatatypeMismatch)
		b.mustBeAbsent(r)
	}
}

// typesRows are rows in which every value of every type stands once, the rest being NULL.
func (b *bench) typesRows() [][][]byte {
	most := 0
	for _, typ := range b.config.Types {
		most = max(most, len(typ.Values))
	}
	rows := make([][][]byte, most+1) // the last one is all NULL
	for i := range rows {
		rows[i] = row(fmt.Sprint(i))
		for _, typ := range b.config.Types {
			var value []byte
			if i < len(typ.Values) {
				value = []byte(typ.Values[i])
			}
			rows[i] = append(rows[i], value)
		}
	}
	return rows
}

func testRows(t *testing.T, c Config) {
	b := open(t, c)
	r := b.typesTable()
	b.mustCreate(r)
	all := provision.ScanRequest{Resource: r, Columns: r.Table.Columns}
	if got := b.scan(all); len(got) != 0 {
		t.Fatalf("a fresh table has rows: %v", got)
	}
	rows := b.typesRows()
	b.mustWrite(r, r.Table.Columns, rows)
	b.sameRows("scan", rowsOf(rows), b.scan(all))
	names := make([]string, len(r.Table.Columns))
	for i, col := range r.Table.Columns {
		names[i] = col.Name
	}
	independent, err := b.Rows(b.ctx(), r.Path, names)
	if err != nil {
		t.Fatalf("independent read: %v", err)
	}
	b.sameRows("independent read", rowsOf(rows), independent)
	// Columns in another order, and a second write that names only some of them.
	last, key := r.Table.Columns[len(r.Table.Columns)-1], r.Table.Columns[0]
	b.mustWrite(r, []catalog.Column{key}, [][][]byte{row("1000")})
	some := b.scan(provision.ScanRequest{Resource: r, Columns: []catalog.Column{last, key}})
	want := [][]*string{texts(row(null, "1000"))}
	for _, values := range rows {
		want = append(want, texts([][]byte{values[len(values)-1], values[0]}))
	}
	b.sameRows("projection", want, some)
	if got := b.scan(provision.ScanRequest{Resource: r, Columns: r.Table.Columns, Limit: 2}); len(got) < 2 {
		t.Fatalf("a scan with limit 2 gives %d rows", len(got))
	}
	if none := b.scan(provision.ScanRequest{Resource: r}); len(none) != len(rows)+1 {
		t.Fatalf("a scan of no columns gives %d rows, want %d", len(none), len(rows)+1)
	}
}

func testRowsAllOrNone(t *testing.T, c Config) {
	b := open(t, c)
	r := b.resource("strict", catalog.Column{Name: "id", Type: "integer", NotNull: true}, column("d", "date"))
	b.mustCreate(r)
	_, err := b.write(r, r.Table.Columns, [][][]byte{row("1", "2024-02-29"), row(null, "2024-03-01")})
	b.mustFail("write of NULL into a NOT NULL column", err, "23502")
	_, err = b.write(r, r.Table.Columns, [][][]byte{row("1", "2024-02-29"), row("2", "no date")})
	b.mustFail("write of a bad value", err, "22007", "22P02")
	_, err = b.write(r, r.Table.Columns, [][][]byte{row("1", "2024-02-29"), row("2147483648", "2024-02-29")})
	b.mustFail("write of a value out of range", err, "22003")
	_, err = b.write(r, []catalog.Column{column("nobody", "integer")}, [][][]byte{row("1")})
	b.mustFail("write of an unknown column", err, sqlerr.UndefinedColumn)
	if got := b.scan(provision.ScanRequest{Resource: r, Columns: r.Table.Columns}); len(got) != 0 {
		t.Fatalf("rows of failed writes are there: %v", got)
	}
	absent := b.resource("absent", column("id", "integer"))
	_, err = b.write(absent, absent.Table.Columns, [][][]byte{row("1")})
	b.mustFail("write into an absent table", err, sqlerr.UndefinedTable)
	_, err = b.Provisioner.(provision.Scanner).Scan(b.ctx(), provision.ScanRequest{Resource: absent, Columns: absent.Table.Columns})
	b.mustFail("scan of an absent table", err, sqlerr.UndefinedTable)
}

func testFilters(t *testing.T, c Config) {
	b := open(t, c)
	r := b.resource("filters", column("n", "integer"), column("s", "text"), column("d", "date"), column("ts", "timestamp with time zone"))
	b.mustCreate(r)
	b.mustWrite(r, r.Table.Columns, [][][]byte{
		row("1", "a", "2024-01-01", "2024-01-01 00:00:00+00"),
		row("2", "B", "2024-01-02", "2024-01-02 00:00:00.000001+00"),
		row("3", "ä", "2024-01-03", null),
		row(null, "", null, "2024-01-03 00:00:00+00"),
	})
	tests := []struct {
		filters []provision.Filter
		want    []string // values of s that must be among the rows
	}{
		{[]provision.Filter{{Column: "n", Op: "=", Value: "2"}}, []string{"B"}},
		{[]provision.Filter{{Column: "n", Op: ">", Value: "1"}, {Column: "n", Op: "<=", Value: "3"}}, []string{"B", "ä"}},
		{[]provision.Filter{{Column: "n", Op: "<>", Value: "2"}}, []string{"a", "ä"}},
		{[]provision.Filter{{Column: "s", Op: "=", Value: ""}}, []string{""}},
		{[]provision.Filter{{Column: "s", Op: ">", Value: "a"}}, []string{"ä"}},
		{[]provision.Filter{{Column: "d", Op: ">=", Value: "2024-01-02"}}, []string{"B", "ä"}},
		{[]provision.Filter{{Column: "ts", Op: ">", Value: "2024-01-02 00:00:00+00"}}, []string{"B", ""}},
		{[]provision.Filter{{Column: "n", Op: "@@", Value: "2"}}, []string{"a", "B", "ä", ""}},
		{[]provision.Filter{{Column: "n", Op: "=", Value: "no number"}}, []string{}},
		{[]provision.Filter{{Column: "nobody", Op: "=", Value: "1"}}, []string{"a", "B", "ä", ""}},
		{[]provision.Filter{{Column: "n", Op: "= 1 OR 1 =", Value: "1"}}, []string{"a", "B", "ä", ""}},
	}
	for _, test := range tests {
		got := b.scan(provision.ScanRequest{Resource: r, Columns: []catalog.Column{column("s", "text")}, Filters: test.filters})
		found := make(map[string]bool)
		for _, values := range got {
			found[*values[0]] = true
		}
		for _, s := range test.want {
			if !found[s] {
				t.Errorf("filters %+v lose the row %q", test.filters, s)
			}
		}
	}
}

func testScanClosedEarly(t *testing.T, c Config) {
	b := open(t, c)
	r := b.orders()
	b.mustCreate(r)
	rows := make([][][]byte, 20000)
	for i := range rows {
		rows[i] = row(fmt.Sprint(i), strings.Repeat("x", 100))
	}
	b.mustWrite(r, r.Table.Columns, rows)
	for range 20 {
		scan, err := b.Provisioner.(provision.Scanner).Scan(b.ctx(), provision.ScanRequest{Resource: r, Columns: r.Table.Columns})
		if err != nil {
			t.Fatalf("scan: %v", describe(err))
		}
		if !scan.Next(b.ctx()) || len(scan.Values()) != 2 {
			t.Fatalf("no first row: %v", scan.Err())
		}
		if err := scan.Close(); err != nil {
			t.Fatalf("close: %v", describe(err))
		}
		if err := scan.Close(); err != nil {
			t.Fatalf("close twice: %v", describe(err))
		}
		if scan.Next(b.ctx()) {
			t.Fatalf("a closed scan gives rows")
		}
	}
	if got := b.scan(provision.ScanRequest{Resource: r, Columns: r.Table.Columns}); len(got) != len(rows) {
		t.Fatalf("%d rows, want %d", len(got), len(rows))
	}
}

func testManyColumns(t *testing.T, c Config) {
	const count = 200
	b := open(t, c)
	columns := make([]catalog.Column, count)
	values := make([]string, count)
	for i := range columns {
		columns[i] = column(fmt.Sprintf("column_%03d", i), "text")
		values[i] = fmt.Sprint(i)
	}
	r := b.resource("wide", columns...)
	made := b.mustCreate(r)
	if d := cmp.Diff(columns, made.Found.Columns); d != "" {
		t.Fatalf("columns (-want +got):\n%s", d)
	}
	b.mustWrite(r, columns, [][][]byte{row(values...)})
	b.sameRows("wide", rowsOf([][][]byte{row(values...)}), b.scan(provision.ScanRequest{Resource: r, Columns: columns}))
}

func testNames(t *testing.T, c Config) {
	b := open(t, c)
	long := strings.Repeat("é", c.NameBytesMax/2) + strings.Repeat("x", c.NameBytesMax%2)
	names := []string{
		"Orders", "orders", "ORDERS", "order.items", "o$r-d_e r", `"quoted"`, "it's", "über", "select", "..", "a/b", "日本語",
		"%s", `back\slash`, long,
	}
	seen := make(map[string]string)
	for _, name := range names {
		b.schema = name
		schema := b.schemaResource(name)
		if _, err := b.Create(b.ctx(), schema, provision.Call{}); err != nil {
			t.Fatalf("create schema %q: %v", name, describe(err))
		}
		r := b.resource(name, column(name, "integer"))
		made := b.mustCreate(r)
		if other, ok := seen[made.Identity]; ok {
			t.Fatalf("%q and %q are one table", name, other)
		}
		seen[made.Identity] = name
		if got := made.Found.Columns[0].Name; got != name {
			t.Fatalf("column %q came back as %q", name, got)
		}
		b.mustWrite(r, r.Table.Columns, [][][]byte{row("7")})
		b.sameRows(name, rowsOf([][][]byte{row("7")}), b.scan(provision.ScanRequest{
			Resource: r, Columns: r.Table.Columns, Filters: []provision.Filter{{Column: name, Op: "=", Value: "7"}},
		}))
	}
	d := b.Provisioner.(provision.Describer)
	for _, name := range names {
		tables, err := d.Tables(b.ctx(), name)
		if err != nil || len(tables) != 1 || tables[0] != name {
			t.Fatalf("tables of schema %q are %q, %v", name, tables, err)
		}
	}
	tooLong := b.resource(strings.Repeat("x", c.NameBytesMax+1), column("n", "integer"))
	b.mustFail("check of a name that is too long", b.Opener.Check(b.Catalog, tooLong), sqlerr.NameTooLong)
}
