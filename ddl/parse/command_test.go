package parse_test

import (
	"testing"

	"github.com/tablewright/tablewright/ddl/parse"
)

func TestCommand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"create or replace view v as select 1":                "CREATE VIEW",
		"create temp table t (a int)":                         "CREATE TABLE",
		"CREATE UNIQUE INDEX i ON t (a)":                      "CREATE INDEX",
		"create materialized view m as select 1":              "CREATE MATERIALIZED VIEW",
		"comment on table t is 'x'":                           "COMMENT ON TABLE",
		"insert into t values (1)":                            "INSERT INTO",
		"with x as (select 1) select * from x":                "WITH",
		"create catalog c with (type = 'iceberg', uri = 'x')": "CREATE CATALOG",
		"begin":    "BEGIN",
		"vacuum t": "VACUUM",
	} {
		statements, err := parse.Split(text)
		if err != nil || statements[0].Command() != want {
			t.Errorf("%s: %v, %v", text, statements, err)
		}
	}
}
