package parse

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	pg_query "github.com/pganalyze/pg_query_go/v6"
)

// What quickScan says is what PostgreSQL's lexer says, and it does say something about ordinary texts.
func TestQuickScan(t *testing.T) {
	for _, text := range []string{
		"", " \t\r\n", "select 1", "a.b.c", "a .1", "1.5 1. 1.x .5 1..2", "x::int y:=1 z:::a", "a[1:2]", "'a''b'", "'a' 'b'", "'a'\n'b'",
		"'a' -- c\n'b'", "'a' \v 'b'", "e'a'", "B'01' x'ff' n'a' u&'a' U&\"a\" u & v", `"a""b" ""`, `"`, "'", "'\\'", "-- c", "-- c\nx", "-- ü\nx", "--\rx",
		"/* c */ x", "a/*c*/", "a - -1 a--1\nb", "<= >= <> != || -> =>", "a=-1 a<-1 a|b a->>b a@>b", "$1 $$a$$ a$b $a$", "ü", "'ü'", "1e5 0x1f 1_000 1a",
		"SELECT Null user \"select\"", "a;b;", "(;)", "\\", "a\\b", "%", "#", "a\fb", "a\vb", "current_timestamp", "a' b", "a'b'", "x&'a'", "`", "a ? b", "+-*/<>=%",
	} {
		checkQuickScan(t, text)
	}
	plain := "create table if not exists lake.s.\"Orders\" (\n  id bigint primary key, -- the key\n  price numeric(10,2) default 1.5, n text default 'it''s'\n) with (a = 'b');"
	if _, ok := quickScan(plain); !ok {
		t.Errorf("%q is not plain", plain)
	}
}

// The statements of all tests are scanned both ways.
func TestQuickScanOfTestdata(t *testing.T) {
	files, err := filepath.Glob("../../test/*/testdata/*/*")
	if err != nil {
		t.Fatal(err)
	}
	quick := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // a folder
		}
		for part := range strings.SplitSeq(string(text), "\n\n") {
			if checkQuickScan(t, part) {
				quick++
			}
		}
	}
	if quick < 100 {
		t.Errorf("%d texts of %d files are plain", quick, len(files))
	}
}

// checkQuickScan tells whether the text is plain.
func checkQuickScan(t *testing.T, text string) bool {
	t.Helper()
	got, ok := quickScan(text)
	if !ok || strings.IndexByte(text, 0) >= 0 {
		return false
	}
	want, err := slowScan(text)
	if err != nil {
		t.Errorf("quickScan(%q) = %v, want %v", text, got, err)
	} else if diff := cmp.Diff(want, got, cmp.Transformer("empty", func(l []Token) []Token { return append([]Token{}, l...) })); diff != "" {
		t.Errorf("quickScan(%q) (-want +got):\n%s", text, diff)
	}
	return true
}

// The list of reserved words is the parser's own.
func TestReservedWords(t *testing.T) {
	for token := range pg_query.Token_value {
		for _, suffix := range []string{"", "_P", "_LA"} {
			word := strings.ToLower(strings.TrimSuffix(token, suffix))
			result, err := pg_query.Scan(word)
			if err != nil || len(result.GetTokens()) != 1 {
				continue
			}
			want := result.GetTokens()[0].GetKeywordKind() == pg_query.KeywordKind_RESERVED_KEYWORD
			if isReserved(word) != want || isReserved(strings.ToUpper(word)) != want {
				t.Errorf("isReserved(%s) = %t, want %t", word, isReserved(word), want)
			}
		}
	}
}

func FuzzQuickScan(f *testing.F) {
	f.Add("create table t (a int default 1.5, \"B\" text default 'x''y') -- c\n;")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < NestingMax {
			checkQuickScan(t, text)
		}
	})
}
