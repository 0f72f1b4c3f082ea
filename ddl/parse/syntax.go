package parse

import (
	"errors"
	"strings"

	"github.com/pganalyze/pg_query_go/v6/parser"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// syntaxError is a fault of a statement; offset is in bytes of the statement's Text.
type syntaxError struct {
	offset  int
	code    string
	message string
	hint    string
}

func (e *syntaxError) Error() string { return e.message }

// withNear adds a hint when the word is like one that may stand there.
func (e *syntaxError) withNear(word string, known ...string) *syntaxError {
	if nearest := Nearest(word, known); nearest != "" {
		e.hint = "Perhaps you meant " + foldUpper(nearest) + "."
	}
	return e
}

// foldUpper writes a keyword as messages do.
func foldUpper(word string) string { return strings.ToUpper(word) }

// fail turns a front end's error into one for the client.
func (s *Statement) fail(err error) *sqlerr.Error {
	var se *syntaxError
	if !errors.As(err, &se) {
		return sqlerr.Wrap(err, sqlerr.SyntaxError, "%s", err)
	}
	code := se.code
	if code == "" {
		code = sqlerr.SyntaxError
	}
	e := sqlerr.New(code, "%s", se.message).At(s.Position(se.offset))
	if se.hint != "" {
		e = e.WithHint("%s", se.hint)
	}
	return e
}

// near is PostgreSQL's wording for a token that does not fit.
func near(raw string) string {
	if raw == "" {
		return "syntax error at end of input"
	}
	return `syntax error at or near "` + raw + `"`
}

// parserError turns an error of pg_query into one for the client. parsed is what was parsed: the
// statement's text, or one of the same length in bytes. follows tells that a semicolon comes after the
// statement: PostgreSQL, which parses the whole text, complains of that and not of an end of input.
func (s *Statement) parserError(err error, parsed string, follows bool) *sqlerr.Error {
	var pe *parser.Error
	if !errors.As(err, &pe) {
		return sqlerr.New(sqlerr.StatementTooComplex, "statement is too complex to be read").WithCause(err)
	}
	message, position := pe.Message, 0
	if pe.Cursorpos > 0 {
		position = s.Position(byteOffset(parsed, pe.Cursorpos-1))
	}
	if follows && message == near("") {
		message, position = near(";"), s.Position(len(s.Text))
	}
	return sqlerr.New(sqlerr.SyntaxError, "%s", message).At(position)
}

// wholeError is an error of scanning a whole text.
func wholeError(err error) *sqlerr.Error {
	var se *scanError
	if !errors.As(err, &se) {
		return sqlerr.Wrap(err, sqlerr.SyntaxError, "%s", err)
	}
	return sqlerr.New(sqlerr.SyntaxError, "%s", se.message).At(se.character)
}

// firstWord is the text up to its first blank.
func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}
