package iceberg_test

import (
	"fmt"
	"testing"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/provision"
	"github.com/tablewright/tablewright/provision/iceberg"
)

func benchLake(b *testing.B) provision.Provisioner {
	b.Helper()
	l := &lake{dir: b.TempDir()}
	p, err := iceberg.New(iceberg.Options{Allow: []string{l.dir}}).Open(b.Context(), l.catalog("lake"), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := p.Close(); err != nil {
			b.Error(err)
		}
	})
	if _, err := p.Create(b.Context(), plan.Resource{Kind: plan.SchemaKind, Path: []string{"sales"}}, provision.Call{}); err != nil {
		b.Fatal(err)
	}
	return p
}

func BenchmarkCreate(b *testing.B) {
	p := benchLake(b)
	for i := 0; b.Loop(); i++ {
		r := ordersResource()
		r.Path = []string{"sales", fmt.Sprintf("orders_%d", i)}
		if _, err := p.Create(b.Context(), r, provision.Call{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkObserve(b *testing.B) {
	p, r := benchLake(b), ordersResource()
	if _, err := p.Create(b.Context(), r, provision.Call{}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := p.Observe(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteRow(b *testing.B) {
	p, r := benchLake(b), ordersResource()
	if _, err := p.Create(b.Context(), r, provision.Call{}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := p.(provision.Writer).Write(b.Context(), r, r.Table.Columns, [][][]byte{{[]byte("1"), []byte("x")}}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkScan reads 100000 rows of two columns.
func BenchmarkScan(b *testing.B) {
	p, r := benchLake(b), ordersResource()
	if _, err := p.Create(b.Context(), r, provision.Call{}); err != nil {
		b.Fatal(err)
	}
	rows := make([][][]byte, 100000)
	for i := range rows {
		rows[i] = [][]byte{[]byte(fmt.Sprint(i)), []byte("some note")}
	}
	if _, err := p.(provision.Writer).Write(b.Context(), r, r.Table.Columns, rows); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		scan, err := p.(provision.Scanner).Scan(b.Context(), provision.ScanRequest{Resource: r, Columns: r.Table.Columns})
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for scan.Next(b.Context()) {
			n++
		}
		if err := scan.Close(); err != nil || n != len(rows) {
			b.Fatalf("%d rows, %v", n, err)
		}
	}
}
