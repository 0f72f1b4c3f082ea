package bind_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/ddl/parse"
)

// wideTable is a CREATE TABLE of 20 columns as people write them.
func wideTable() string {
	columns := []string{"id bigint PRIMARY KEY", "made timestamptz NOT NULL DEFAULT now()", "amount numeric(10,2) DEFAULT 0"}
	for i := len(columns); i < 20; i++ {
		columns = append(columns, fmt.Sprintf("column_%d varchar(50) NOT NULL", i))
	}
	return "CREATE TABLE lake.sales.wide (" + strings.Join(columns, ", ") +
		") PARTITIONED BY (days(made)) WITH (format_version = 2)"
}

// BenchmarkCompile is everything from text to plan.
func BenchmarkCompile(b *testing.B) {
	snap, types, text := world(), systems(), wideTable()
	for b.Loop() {
		statements, err := parse.Split(text)
		if err != nil {
			b.Fatal(err)
		}
		bind.Requirements(&statements[0])
		if _, err := bind.Compile(&statements[0], snap, types, bind.Settings{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCompileParsed is from the parsed statement to the plan.
func BenchmarkCompileParsed(b *testing.B) {
	snap, types := world(), systems()
	statements, err := parse.Split(wideTable())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := bind.Compile(&statements[0], snap, types, bind.Settings{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadPlan(b *testing.B) {
	snap := world()
	statements, err := parse.Split("select o.id, lower(note) from lake.sales.orders o where o.id = $1 and amount > 5")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := bind.ReadPlan(&statements[0], snap, nil); err != nil {
			b.Fatal(err)
		}
	}
}
