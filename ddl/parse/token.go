package parse

import (
	"errors"
	"strings"
	"unicode/utf8"

	pg_query "github.com/pganalyze/pg_query_go/v6"
	"github.com/pganalyze/pg_query_go/v6/parser"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// Kind sorts tokens by what the front end needs to know of them.
type Kind uint8

// The kinds of token.
const (
	Word        Kind = iota + 1 // an unquoted identifier or a keyword
	QuotedIdent                 // "x" or U&"x"
	String                      // 'x', E'x', $$x$$, U&'x'
	Number                      // 1, 1.5, 0x1f
	Param                       // $1
	Symbol                      // one punctuation character: ( ) [ ] , ; : . = and the like
	Operator                    // anything else
)

// Token is one token of a text without its comments. Offsets are in bytes of the text that it was taken
// from.
type Token struct {
	Kind     Kind
	Reserved bool // a word that PostgreSQL takes as a name only in quotes
	Start    int
	End      int
}

// scanError is a text that has no tokens: an unterminated string, junk after a number.
type scanError struct {
	message   string
	character int // 1-based, in the scanned text
}

func (e *scanError) Error() string { return e.message }

// scan returns the tokens of a text without comments.
func scan(text string) ([]Token, error) {
	if tokens, ok := quickScan(text); ok {
		return tokens, nil
	}
	return slowScan(text)
}

// slowScan is scan by PostgreSQL's own lexer.
func slowScan(text string) ([]Token, error) {
	result, err := pg_query.Scan(text)
	if err != nil {
		if pe, ok := errors.AsType[*parser.Error](err); ok {
			return nil, &scanError{message: pe.Message, character: pe.Cursorpos}
		}
		return nil, sqlerr.Wrap(err, sqlerr.SyntaxError, "cannot read the statement: %s", err)
	}
	tokens := make([]Token, 0, len(result.GetTokens()))
	for _, t := range result.GetTokens() {
		kind := kindOf(t, text)
		if kind == 0 {
			continue
		}
		tokens = append(tokens, Token{
			Kind:     kind,
			Reserved: t.GetKeywordKind() == pg_query.KeywordKind_RESERVED_KEYWORD,
			Start:    int(t.GetStart()),
			End:      int(t.GetEnd()),
		})
	}
	return tokens, nil
}

// kindOf is 0 for a comment.
func kindOf(t *pg_query.ScanToken, text string) Kind {
	if t.GetKeywordKind() != pg_query.KeywordKind_NO_KEYWORD {
		return Word
	}
	switch t.GetToken() {
	case pg_query.Token_SQL_COMMENT, pg_query.Token_C_COMMENT:
		return 0
	case pg_query.Token_IDENT:
		if text[t.GetStart()] == '"' {
			return QuotedIdent
		}
		return Word
	case pg_query.Token_UIDENT:
		return QuotedIdent
	case pg_query.Token_SCONST, pg_query.Token_USCONST:
		return String
	case pg_query.Token_ICONST, pg_query.Token_FCONST:
		return Number
	case pg_query.Token_PARAM:
		return Param
	default:
		if t.GetEnd()-t.GetStart() == 1 {
			return Symbol
		}
		return Operator
	}
}

// level measures what stands between one pair of parentheses.
type level struct {
	chain  int // tokens since the last comma
	inner  int // deepest parentheses closed since the last comma
	widest int // deepest list element
	sets   int // set operations
}

func (l *level) endElement() {
	l.widest = max(l.widest, l.chain+l.inner)
	l.chain, l.inner = 0, 0
}

func (l *level) depth() int {
	l.endElement()
	return l.widest + l.sets
}

// nesting is an upper bound of the depth of the tree that tokens come to. Every token may nest what
// stands before or behind it one deeper (`1+1+1`, `not not a`); only a comma ends such a chain, within its
// own parentheses. Set operations nest across commas (`select a, b union select a, b`), so they are
// counted apart.
func nesting(text string, tokens []Token) int {
	open := []level{{}}
	deepest := 0
	closeLast := func() {
		depth := open[len(open)-1].depth()
		open = open[:len(open)-1]
		last := &open[len(open)-1]
		last.inner = max(last.inner, depth)
	}
	for _, t := range tokens {
		last := &open[len(open)-1]
		switch symbol := symbolOf(text, t); {
		case symbol == '(' || symbol == '[':
			last.chain++
			open = append(open, level{})
		case symbol == ')' || symbol == ']':
			if len(open) > 1 {
				closeLast()
			}
		case symbol == ';' && len(open) == 1:
			deepest = max(deepest, last.depth())
			*last = level{}
		case symbol == ',' || symbol == ';':
			last.endElement()
		case t.Kind == Word && isSetOperation(text[t.Start:t.End]):
			last.sets++
		default:
			last.chain++
		}
	}
	for len(open) > 1 {
		closeLast()
	}
	return max(deepest, open[0].depth())
}

// symbolOf is the character of a symbol token, 0 for another one.
func symbolOf(text string, t Token) byte {
	if t.Kind != Symbol {
		return 0
	}
	return text[t.Start]
}

func isSetOperation(word string) bool {
	return strings.EqualFold(word, "union") || strings.EqualFold(word, "except") ||
		strings.EqualFold(word, "intersect")
}

// decodeIdent is the name that an identifier token stands for: folded or unquoted, not cut.
func decodeIdent(raw string) string {
	if raw == "" {
		return ""
	}
	if raw[0] == '"' && len(raw) >= 2 {
		return strings.ReplaceAll(raw[1:len(raw)-1], `""`, `"`)
	}
	if (raw[0] == 'u' || raw[0] == 'U') && strings.Contains(raw, `&"`) {
		return decodeByParser(raw)
	}
	return foldASCII(raw)
}

// decodeByParser reads an identifier with Unicode escapes by PostgreSQL's own rules; a wrong one comes
// back as it is written, and the parser reports it.
func decodeByParser(raw string) string {
	tree, err := pg_query.Parse("SELECT 1 AS " + raw)
	if err != nil || len(tree.GetStmts()) != 1 {
		return raw
	}
	targets := tree.GetStmts()[0].GetStmt().GetSelectStmt().GetTargetList()
	if len(targets) != 1 {
		return raw
	}
	return targets[0].GetResTarget().GetName()
}

// foldASCII folds as PostgreSQL does in multibyte encodings: only A to Z.
func foldASCII(s string) string {
	for i := 0; i < len(s); i++ {
		if isUpperASCII(s[i]) {
			return foldASCIIFrom(s, i)
		}
	}
	return s
}

func foldASCIIFrom(s string, first int) string {
	folded := []byte(s)
	for i := first; i < len(folded); i++ {
		if isUpperASCII(folded[i]) {
			folded[i] += 'a' - 'A'
		}
	}
	return string(folded)
}

func isUpperASCII(c byte) bool { return c >= 'A' && c <= 'Z' }

// cutIdent cuts a name where PostgreSQL's lexer cuts it: after whole characters of at most 63 bytes.
func cutIdent(s string) string {
	if len(s) <= identBytesMax {
		return s
	}
	end := identBytesMax
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

// decodeString is the value of a string token, and whether it can be read.
func decodeString(raw string) (string, bool) {
	if len(raw) >= 2 && raw[0] == '\'' && raw[len(raw)-1] == '\'' {
		inner := raw[1 : len(raw)-1]
		if !strings.Contains(inner, `'`) {
			return inner, true
		}
		unquoted := strings.ReplaceAll(inner, `''`, "")
		if !strings.Contains(unquoted, `'`) {
			return strings.ReplaceAll(inner, `''`, `'`), true
		}
	}
	tree, err := pg_query.Parse("SELECT " + raw)
	if err != nil || len(tree.GetStmts()) != 1 {
		return "", false
	}
	targets := tree.GetStmts()[0].GetStmt().GetSelectStmt().GetTargetList()
	if len(targets) != 1 {
		return "", false
	}
	value := targets[0].GetResTarget().GetVal().GetAConst().GetSval()
	return value.GetSval(), value != nil
}
