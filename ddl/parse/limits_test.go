package parse_test

import (
	"strings"
	"testing"

	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// TestLimits: a text over a limit comes back as one unreadable statement; one just below is read.
func TestLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, code string
	}{
		{"bytes", "select '" + strings.Repeat("x", parse.TextBytesMax) + "'", sqlerr.ProgramLimitExceeded},
		{"tokens", "select 1" + strings.Repeat(",1", parse.TokensMax/2), sqlerr.ProgramLimitExceeded},
		{"statements", strings.Repeat("a;", parse.StatementsMax+1), sqlerr.ProgramLimitExceeded},
		{"chain", "select 1" + strings.Repeat("+1", parse.NestingMax/2+1), sqlerr.StatementTooComplex},
		{"prefix chain", "select " + strings.Repeat("not ", parse.NestingMax+1) + "a", sqlerr.StatementTooComplex},
		{"parentheses", "select " + strings.Repeat("(", parse.NestingMax+1), sqlerr.StatementTooComplex},
		{"brackets", "select " + strings.Repeat("a[", parse.NestingMax+1), sqlerr.StatementTooComplex},
		{"unions with commas", "select 1, 2" + strings.Repeat(" union select 1, 2", parse.NestingMax+1), sqlerr.StatementTooComplex},
		{"groups with chains behind them", groups(200, 200), sqlerr.StatementTooComplex},
		{"second statement", "select 1; select " + strings.Repeat("- ", parse.NestingMax+1) + "1", sqlerr.StatementTooComplex},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			statements, err := parse.Split(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if len(statements) != 1 || statements[0].Text != c.text || statements[0].Err == nil {
				t.Fatalf("%d statements, the first with error %v", len(statements), statements[0].Err)
			}
			if statements[0].Err.Code != c.code {
				t.Fatalf("code %s, want %s: %v", statements[0].Err.Code, c.code, statements[0].Err)
			}
		})
	}
}

// groups nests n parentheses, each with a chain of m operators behind it: `((1+1+1)+1+1)`.
func groups(n, m int) string {
	return "select " + strings.Repeat("(", n) + "1" + strings.Repeat(strings.Repeat("+1", m)+")", n)
}

func TestBelowLimits(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"chain":      "select 1" + strings.Repeat("+1", parse.NestingMax/2-2),
		"rows":       "insert into t values (1, 'a', 2.5)" + strings.Repeat(", (1, 'a', 2.5)", 20_000),
		"statements": strings.Repeat("a;", parse.StatementsMax),
		"unions":     "select 1, 2" + strings.Repeat(" union select 1, 2", parse.NestingMax-10),
		"groups":     groups(30, 40),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			statements, err := parse.Split(text)
			if err != nil {
				t.Fatal(err)
			}
			if len(statements) == 1 && statements[0].Err != nil {
				t.Fatalf("not read: %v", statements[0].Err)
			}
		})
	}
}

func TestTooManyOptions(t *testing.T) {
	t.Parallel()
	_, err := parse.Split("create catalog k with (a" + strings.Repeat(", a", parse.OptionsMax) + ")")
	if got := sqlerr.From(err).Code; got != sqlerr.ProgramLimitExceeded {
		t.Fatalf("code %s: %v", got, err)
	}
	_, err = parse.Split("create table t (a int) partitioned by (a" + strings.Repeat(", a", parse.TransformsMax) + ")")
	if got := sqlerr.From(err).Code; got != sqlerr.ProgramLimitExceeded {
		t.Fatalf("code %s: %v", got, err)
	}
}

func TestTextThatIsNoText(t *testing.T) {
	t.Parallel()
	if _, err := parse.Split("select\x00 1"); sqlerr.From(err).Code != sqlerr.CharacterNotInRepertoire {
		t.Fatalf("a NUL: %v", err)
	}
	statements, err := parse.Split("select '\xe4'")
	if err != nil || len(statements) != 1 || statements[0].Err == nil {
		t.Fatalf("LATIN1: %v %v", statements, err)
	}
}

// TestNormalize: what would overflow the parser's stack is refused before it gets there.
func TestNormalize(t *testing.T) {
	t.Parallel()
	got, err := parse.Normalize("select * from t where a = 1 and b = 'x'")
	if err != nil || got != "select * from t where a = $1 and b = $2" {
		t.Fatalf("%q, %v", got, err)
	}
	_, err = parse.Normalize("select 1" + strings.Repeat("+1", 100_000))
	if sqlerr.From(err).Code != sqlerr.StatementTooComplex {
		t.Fatalf("deep text: %v", err)
	}
}
