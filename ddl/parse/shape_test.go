package parse_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tablewright/tablewright/ddl/parse"
)

func TestShape(t *testing.T) {
	none := ""
	for text, want := range map[string]string{
		"SELECT 1":                        "SELECT 0",
		" select 1.5, .25, 30;\n":         " select 0, .0, 0;\n",
		"select 'a', 'it''s', \"1\"":      "select '', '''', \"1\"",
		"select t1.a2 from \"x\"\"1\".t3": "select t1.a2 from \"x\"\"1\".t3",
		"select $1, $23 + 4":              "select $1, $23 + 0",
		"update t set a=-1 where b<>2":    "update t set a=-0 where b<>0",
		"insert into t values(1,'é')":     "insert into t values(0,'')",
		"delete from té where a=1":        "delete from té where a=0",
		// What makes lexing hard has no shape.
		"select": none, "selected 1": none, "with a as (select 1) select 2": none, "begin": none,
		"select 1; select 2": none, "select 1 -- x": none, "select /* 1 */ 2": none, "select 1--2": none,
		`select E'\n'`: none, "select b'1'": none, `select 'a\'`: none, "select $$1$$": none, "select $a$1$a$": none,
		"select U&'1'": none, `select U&"1"`: none, "select 1e5": none, "select 0x1F": none, "select 1_000": none,
		"select 1..2": none, "select 1a": none, "select 'open": none, `select "open`: none, `select 1 \ 2`: none, "select $1a": none,
		"": none, "select $": none, "select 1.2.3": none,
	} {
		got, ok := parse.Shape(text)
		if got != want || ok != (want != none) {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
	}
}

// loneZero is a number that was taken out.
var loneZero = regexp.MustCompile(`([ ,(=<>+*])0\b`)

// FuzzShape: a text means the same names as one with other constants that has its shape.
func FuzzShape(f *testing.F) {
	for _, seed := range []string{
		benchSelect, "select 'a'::regclass, \"b1\".c from d$1 where e = $1 and f in (1, 2.5) limit 3",
		"insert into a.b (c) values ('x', 1), (E'', 2)", "update a set b = 'c''d' 'e' where f = -1", "delete from a using b where c = 1",
		"select 1 into a from \"b\"\"1\" where c ~ '^\\d'", "select x'1', U&'a', n'b'", "select a from b.c.d for update of e",
	} {
		f.Add(seed, "17", "x y")
	}
	f.Fuzz(func(t *testing.T, text, number, word string) {
		shape, ok := parse.Shape(text)
		if !ok || strings.Trim(number, "0123456789") != "" || number == "" || strings.ContainsAny(word, `'\`) {
			return
		}
		other := strings.ReplaceAll(shape, "''", "'"+word+"'")
		other = loneZero.ReplaceAllString(other, "${1}"+number)
		if same, ok := parse.Shape(other); !ok || same != shape {
			return // doubled quotes
		}
		one, two := namesOf(t, text), namesOf(t, other)
		if one == nil || two == nil {
			return // one of them cannot be read
		}
		if diff := cmp.Diff(one, two, cmpopts.IgnoreFields(parse.Name{}, "Span"), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%q and %q have one shape and other names:\n%s", text, other, diff)
		}
	})
}

// namesOf is what a text mentions, nil when it cannot be read.
func namesOf(t *testing.T, text string) []parse.Name {
	t.Helper()
	statements, err := parse.Split(text)
	if err != nil || len(statements) != 1 || statements[0].Err != nil {
		return nil
	}
	return append([]parse.Name{}, parse.Names(&statements[0])...)
}

func BenchmarkShape(b *testing.B) {
	for b.Loop() {
		if _, ok := parse.Shape(benchSelect); !ok {
			b.Fatal("no shape")
		}
	}
}

func TestDefines(t *testing.T) {
	for text, want := range map[string]bool{
		"create table t ()": true, " \nDROP\tTABLE t": true, "Alter table t": true, "COMMENT ON": true, "refresh catalog c": true,
		"": false, "create": false, "select 1": false, "created": false, "creaté": false, "insert into t": false, "-- c\ncreate table t ()": false,
	} {
		if got := parse.Defines(text); got != want {
			t.Errorf("Defines(%q) = %t, want %t", text, got, want)
		}
	}
}
