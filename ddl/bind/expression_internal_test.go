package bind

import (
	"testing"

	pg_query "github.com/pganalyze/pg_query_go/v6"
)

// A constant is written as the parser's library writes it.
func TestPlainConstant(t *testing.T) {
	short := 0
	for _, text := range []string{
		"0", "7", "-7", "2147483647", "2147483648", "1.50", "1e3", "true", "FALSE", "null", "''", "'a'", "'it''s'", "E'a\\nb'", "'a\\b'", "'ü'",
		"'a\nb'", "B'01'", "X'1f'", "U&'\\00e9'", "$$x'y$$", "'a'::text", "0x1f", "1_000",
	} {
		tree, err := pg_query.Parse("SELECT " + text)
		if err != nil {
			t.Fatal(err)
		}
		node := tree.GetStmts()[0].GetStmt().GetSelectStmt().GetTargetList()[0].GetResTarget().GetVal()
		want, err := deparsed(node)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := plainConstant(node.GetAConst())
		if !ok {
			continue
		}
		if short++; got != want {
			t.Errorf("plainConstant(%s) = %s, want %s", text, got, want)
		}
	}
	if short < 10 {
		t.Errorf("%d constants have a short way", short)
	}
}
