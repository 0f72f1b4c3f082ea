package parse_test

import (
	"testing"

	"github.com/tablewright/tablewright/ddl/parse"
)

const (
	benchSelect = "select o.id, o.amount, u.email from orders o join users u on u.id = o.user_id where o.status = 'new' and o.amount > 10 order by o.id limit 20"
	benchCreate = "create table lake.sales.orders (id bigint primary key, a text, b text not null, c text, d numeric(10,2), e timestamptz default now()) with (format_version = 2)"
)

func BenchmarkSplit(b *testing.B) {
	for name, text := range map[string]string{"select": benchSelect, "create": benchCreate} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := parse.Split(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNames(b *testing.B) {
	for name, text := range map[string]string{"select": benchSelect, "create": benchCreate} {
		statements, err := parse.Split(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				parse.Names(&statements[0])
			}
		})
	}
}

func BenchmarkNormalize(b *testing.B) {
	for b.Loop() {
		if _, err := parse.Normalize(benchSelect); err != nil {
			b.Fatal(err)
		}
	}
}
