package parse

import (
	"errors"
	"strings"
	"unicode/utf8"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	_ "github.com/tablewright/tablewright/ddl/parse/nodepack" // pg_query's trees, sooner
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// Split reads the statements of a text, as a simple-Query message brings it. A text that holds none
// (empty, comments, semicolons) comes back as no statements.
//
// A statement that only PostgreSQL's own parser can judge has Err set and no node; so has a text that
// is over a limit, as one statement. An error is returned when the text as a whole cannot be run: one of
// our statements is wrong, or ours stand beside one that cannot be read. It is a *sqlerr.Error whose
// position is in the whole text.
func Split(text string) ([]Statement, error) {
	if strings.IndexByte(text, 0) >= 0 {
		return nil, sqlerr.New(sqlerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0x00`)
	}
	if err := readable(text); err != nil {
		return unreadable(text, err), nil
	}
	tokens, err := scan(text)
	if err != nil {
		return unscannable(text, err)
	}
	if err := measured(text, tokens); err != nil {
		return unreadable(text, err), nil
	}
	parts := cut(text, tokens)
	if len(parts) > StatementsMax {
		return unreadable(text, sqlerr.New(sqlerr.ProgramLimitExceeded,
			"a text of more than %d statements is not read", StatementsMax)), nil
	}
	return parseParts(text, parts)
}

// readable checks what can be told without tokens.
func readable(text string) *sqlerr.Error {
	if len(text) > TextBytesMax {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "a text of more than %d bytes is not read", TextBytesMax)
	}
	if !utf8.ValidString(text) {
		return sqlerr.New(sqlerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8"`)
	}
	return nil
}

// measured checks what the parser could not survive.
func measured(text string, tokens []Token) *sqlerr.Error {
	if len(tokens) > TokensMax {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "a text of more than %d tokens is not read", TokensMax)
	}
	// A text of fewer bytes than levels cannot nest too deep.
	if len(tokens) > NestingMax && nesting(text, tokens) > NestingMax {
		return sqlerr.New(sqlerr.StatementTooComplex, "statement nests deeper than %d levels", NestingMax)
	}
	return nil
}

func unreadable(text string, err *sqlerr.Error) []Statement {
	return []Statement{{Text: text, Err: err}}
}

// unscannable answers for a text without tokens. What can be scanned before the fault tells whether one
// of our statements is concerned: its text must not go home, since it may hold a secret that the home
// database would log.
func unscannable(text string, cause error) ([]Statement, error) {
	err := wholeError(cause)
	var se *scanError
	if !errors.As(cause, &se) || se.character <= 0 {
		return unreadable(text, err), nil
	}
	before := text[:byteOffset(text, se.character-1)]
	tokens, scanErr := scan(before)
	if scanErr != nil {
		return unreadable(text, err), nil
	}
	for _, part := range cut(before, tokens) {
		st := newStatement(before, part, 0)
		if hint, ours := st.looksOurs(); ours {
			if hint != "" {
				err = err.WithHint("%s", hint)
			}
			return nil, err
		}
	}
	return unreadable(text, err), nil
}

// cut groups tokens into statements. Semicolons in parentheses (rules) and in the body of a SQL
// function (BEGIN ATOMIC … END) end none.
func cut(text string, tokens []Token) [][]Token {
	var parts [][]Token
	start, parens := 0, 0
	var body atomicBody
	for i, t := range tokens {
		switch symbolOf(text, t) {
		case '(', '[':
			parens++
		case ')', ']':
			parens = max(parens-1, 0)
		case ';':
			if parens > 0 || body.open() {
				continue
			}
			if i > start {
				parts = append(parts, tokens[start:i])
			}
			start, body = i+1, atomicBody{}
		default:
			if t.Kind == Word {
				body.word(foldASCII(text[t.Start:t.End]), i-start)
			}
		}
	}
	if len(tokens) > start {
		parts = append(parts, tokens[start:])
	}
	return parts
}

// atomicBody follows BEGIN ATOMIC … END of CREATE FUNCTION and CREATE PROCEDURE. Only these have
// semicolons inside; CASE … END nests in them.
type atomicBody struct {
	create  bool
	routine bool
	begin   bool // the last word was BEGIN
	depth   int
}

func (a *atomicBody) open() bool { return a.depth > 0 }

// word takes the next word of the statement; index counts tokens.
func (a *atomicBody) word(word string, index int) {
	began := a.begin
	a.begin = false
	switch {
	case index == 0:
		a.create = word == "create"
	case !a.create:
	case index <= 3 && (word == "function" || word == "procedure"):
		a.routine = true
	case !a.routine:
	case word == "begin":
		a.begin = true
	case word == "atomic" && began:
		a.depth++
	case word == "case" && a.depth > 0:
		a.depth++
	case word == "end" && a.depth > 0:
		a.depth--
	}
}

// newStatement makes a statement of a part's tokens, its offsets made relative. characters is the
// number of characters before the part.
func newStatement(text string, part []Token, characters int) Statement {
	start, end := part[0].Start, part[len(part)-1].End
	tokens := make([]Token, len(part))
	for i, t := range part {
		t.Start -= start
		t.End -= start
		tokens[i] = t
	}
	text = text[start:end]
	return Statement{Text: text, Offset: start, tokens: tokens, characters: characters, ascii: isASCII(text)}
}

// isASCII tells whether every character is one byte.
func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func parseParts(text string, parts [][]Token) ([]Statement, error) {
	statements := make([]Statement, 0, len(parts))
	var unread *sqlerr.Error
	ours := false
	counted, characters := 0, 0
	for i, part := range parts {
		characters += utf8.RuneCountInString(text[counted:part[0].Start])
		counted = part[0].Start
		st := newStatement(text, part, characters)
		if err := st.parse(i+1 < len(parts)); err != nil {
			return nil, err
		}
		if st.Err != nil && unread == nil {
			unread = st.Err
		}
		ours = ours || st.Extension != nil
		statements = append(statements, st)
	}
	if unread != nil && ours {
		return nil, unread
	}
	return statements, nil
}

// parse fills Node, Extension or Err; the error is for a statement that is ours and wrong.
func (s *Statement) parse(follows bool) error {
	done, err := s.frontEnd()
	if err != nil {
		return s.fail(err)
	}
	if done {
		return nil
	}
	node, err := s.parseNode(s.Text)
	if err != nil {
		s.Err = s.parserError(err, s.Text, follows)
		if hint, refuse := s.nearMiss(); hint != "" {
			s.Err = s.Err.WithHint("%s", hint)
			if refuse {
				return s.Err
			}
		}
		return nil
	}
	s.Node = node
	return nil
}

var errManyStatements = errors.New("more than one statement")

// parseNode gives one statement to PostgreSQL's parser.
func (s *Statement) parseNode(text string) (*pg_query.Node, error) {
	tree, err := pg_query.Parse(text)
	if err != nil {
		return nil, err
	}
	if len(tree.GetStmts()) != 1 {
		return nil, errManyStatements
	}
	return tree.GetStmts()[0].GetStmt(), nil
}
