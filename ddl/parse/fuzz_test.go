package parse_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// FuzzSplit: whatever the text is, Split ends, its statements are slices of the text in order, and
// positions lie inside it.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{
		"", ";", "-- c", "select 1; select 2", "select 'ää', x from t; selec 1", "\x00", "\xff select",
		"create catalog k with (type = 'kafka', \"a.b\" = c.d.e, 'x' 'y', n = -1)",
		"create table lake.s.o (a int references x(y), like t) partitioned by (days(ts), bucket(16, id)) with (a.b.c = 1)",
		"create or replace table t (a int) with (x", "drop schema a.b, c cascade with (allow_destructive)",
		"explain (format yaml) create schema a.b", "show jobs where a = (1) limit 3", "wait for job '1' timeout '1 s'",
		"create function f() returns int language sql begin atomic select 1; end; select 3", "drop database d cascade",
		"create server s foreign data wrapper kafka options (a 'b')", "select $1, $$a;b$$, U&\"d\\0061t\" from e'\\'';'",
		"alter catalog k set (a.b = 'c', 'd' 'e')", "alter catalog k reset (a, \"b\")", "alter catalog k rename to l", "refresh catalog k",
		"alter server k options (set a 'b', add c 'd', drop e)", "show create table a.b.c", "fire trigger t with (a = 1)",
		"create or replace materialized view \"a$b\" (c) refreshed '@daily' with (d = 1) as select 1; crate tabel x",
		"create trigger t on a.b as 'x' in 'n' scheduled '@daily' with (a)", "alter materialized view v suspend", "drop trigger if exists t",
		"with recursive a as (select * from a) insert into b.c.d select * from a", "show job 0198-1", "((((", "))))", "[[[;",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		statements, err := parse.Split(text)
		characters := utf8.RuneCountInString(text)
		if err != nil {
			e := sqlerr.From(err)
			if e.Code == sqlerr.InternalError || e.Position < 0 || e.Position > characters+1 {
				t.Fatalf("error %s %q at %d of %d", e.Code, e.Message, e.Position, characters)
			}
			return
		}
		end := 0
		for i := range statements {
			st := &statements[i]
			if st.Offset < end || text[st.Offset:st.Offset+len(st.Text)] != st.Text {
				t.Fatalf("statement %d is no slice of the text behind %d", i, end)
			}
			end = st.Offset + len(st.Text)
			checkStatement(t, st, characters)
		}
	})
}

func checkStatement(t *testing.T, st *parse.Statement, characters int) {
	t.Helper()
	if st.Err != nil && (st.Node != nil || st.Extension != nil) {
		t.Fatalf("statement %q has an error and a tree", st.Text)
	}
	if st.Err == nil && st.Node == nil && st.Extension == nil {
		t.Fatalf("statement %q has neither an error nor a tree", st.Text)
	}
	if st.Err != nil && st.Err.Position > characters+1 {
		t.Fatalf("position %d of %d", st.Err.Position, characters)
	}
	for _, name := range parse.Names(st) {
		if len(name.Parts) == 0 || len(name.Parts) > 3 {
			t.Fatalf("name %v of %q", name.Parts, st.Text)
		}
		if name.Span.Start < 0 || name.Span.End > len(st.Text) || name.Span.End < name.Span.Start {
			t.Fatalf("span %v of %q", name.Span, st.Text)
		}
	}
	_ = st.Mask(nil)
}

// FuzzMask: no part of a secret is left in a masked text.
func FuzzMask(f *testing.F) {
	for _, seed := range []string{"geheim", "it''s", "", "x y", "ä", "a;b", "(", "'--"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, secret string) {
		if len(secret) < 6 || strings.ContainsAny(secret, "\x00'\\") || !utf8.ValidString(secret) || parse.IsReference(secret) {
			return
		}
		const before, after = "create catalog k with (type = kafka, password = '", "', sasl_password 'x')"
		masked := parse.MaskText(before + secret + after)
		if strings.Contains(masked, "'"+secret+"'") {
			t.Fatalf("masked text %q", masked)
		}
	})
}
