package parse

import (
	"unicode/utf8"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// Statement is one statement of a text. Exactly one of three holds: Node is set (PostgreSQL's grammar),
// Extension is set (ours), or Err is set (the parser cannot read it; it goes home unchanged, whose own
// parser then gives the error or knows the syntax). CREATE SERVER is the exception: as one spelling of
// CREATE CATALOG it has an Extension beside its Node.
type Statement struct {
	// Text is the statement's exact source, from its first token to its last.
	Text string
	// Offset is where Text starts in the whole text, in bytes.
	Offset int
	// Node is the parsed statement. Its locations are byte offsets of Text.
	Node *pg_query.Node
	// Extension is a statement that PostgreSQL's grammar does not have.
	Extension Extension
	// Table holds the clauses of a CREATE TABLE that are ours; nil when it has none of them.
	Table *TableClauses
	// Err says why the parser could not read the statement. Its position is in the whole text.
	Err *sqlerr.Error

	tokens     []Token // of Text
	characters int     // before Text in the whole text
	ascii      bool    // Text is known to have no longer characters

	from    *Statement // what it was made from by rewrite, when it is not the client's own text
	rewrite *plan.Rewrite
}

// Extension is a statement of our own grammar.
type Extension interface {
	// Tag is the command tag of the statement: CREATE CATALOG.
	Tag() string
}

// Tokens are the statement's tokens without comments. They must not be changed.
func (s *Statement) Tokens() []Token { return s.tokens }

// Position is the 1-based character position in the whole text of a byte offset of Text.
func (s *Statement) Position(offset int) int {
	if s.from != nil {
		return s.from.Position(s.rewrite.OriginalOffset(offset))
	}
	offset = min(max(offset, 0), len(s.Text))
	if s.ascii {
		return s.characters + offset + 1
	}
	return s.characters + utf8.RuneCountInString(s.Text[:offset]) + 1
}

// Rewritten reads a text that was made from the statement. Positions of it are those of the statement.
func (s *Statement) Rewritten(rw *plan.Rewrite) (*Statement, error) {
	statements, err := Split(rw.Text())
	if err != nil {
		return nil, err
	}
	if len(statements) != 1 || statements[0].Err != nil {
		return nil, errManyStatements
	}
	made := statements[0]
	// Leading blanks and comments are not part of a statement; the rewrite has none that the original has not.
	if made.Text != rw.Text() {
		return nil, errManyStatements
	}
	made.from, made.rewrite = s, rw
	return &made, nil
}

// OriginalPosition maps a 1-based character position of a text that was made from this statement (as the
// home database reports it) to one of the whole text. It is 0 when position is, or when no part of the
// made text is original.
func (s *Statement) OriginalPosition(origin *plan.Rewrite, position int) int {
	if position <= 0 || origin == nil {
		return 0
	}
	offset := byteOffset(origin.Text(), position-1)
	return s.Position(origin.OriginalOffset(offset))
}

// byteOffset is the offset of the character that has count characters before it.
func byteOffset(text string, count int) int {
	for offset := range text {
		if count == 0 {
			return offset
		}
		count--
	}
	return len(text)
}

// TokenAt is the index of the token that starts at a byte offset of Text, -1 when there is none.
func (s *Statement) TokenAt(offset int) int {
	low, high := 0, len(s.tokens)
	for low < high {
		mid := (low + high) / 2
		if s.tokens[mid].Start < offset {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < len(s.tokens) && s.tokens[low].Start == offset {
		return low
	}
	return -1
}

// Raw is the source of token i.
func (s *Statement) Raw(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	return s.Text[s.tokens[i].Start:s.tokens[i].End]
}

// Word is the folded text of token i when it is an unquoted word, else "".
func (s *Statement) Word(i int) string {
	if i < 0 || i >= len(s.tokens) || s.tokens[i].Kind != Word {
		return ""
	}
	return foldASCII(s.Raw(i))
}

// Symbol is the character of token i when it is a symbol, else 0.
func (s *Statement) Symbol(i int) byte {
	if i < 0 || i >= len(s.tokens) {
		return 0
	}
	return symbolOf(s.Text, s.tokens[i])
}

// Ident is the name that token i stands for, uncut, and whether it is one.
func (s *Statement) Ident(i int) (string, bool) {
	if i < 0 || i >= len(s.tokens) {
		return "", false
	}
	if kind := s.tokens[i].Kind; kind != Word && kind != QuotedIdent {
		return "", false
	}
	return decodeIdent(s.Raw(i)), true
}

// Ident is a name of the statement and where it stands in its Text.
type Ident struct {
	Value string // uncut
	Span
}

// Span is a part [Start, End) of a statement's Text, in bytes.
type Span struct {
	Start int
	End   int
}

// Empty tells whether nothing is there.
func (s Span) Empty() bool { return s.End <= s.Start }

// QualifiedName is a dotted name.
type QualifiedName []Ident

// Span is the part of the text that the name takes.
func (q QualifiedName) Span() Span {
	if len(q) == 0 {
		return Span{}
	}
	return Span{Start: q[0].Start, End: q[len(q)-1].End}
}

// Strings are the parts of the name.
func (q QualifiedName) Strings() []string {
	parts := make([]string, len(q))
	for i, ident := range q {
		parts[i] = ident.Value
	}
	return parts
}
