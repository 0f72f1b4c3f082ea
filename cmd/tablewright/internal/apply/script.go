package apply

import (
	"regexp"
	"strings"
	"unicode/utf8"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// script is one file, ready to run.
type script struct {
	source
	rewrite    *plan.Rewrite
	statements []parse.Statement
}

// place is a line and a column of a file, from 1; a column counts characters.
type place struct{ line, column int }

// newScript reads the statements of a file. The error tells where it is wrong, line and column of the file.
func newScript(src source, variables map[string]string) (*script, place, error) {
	s := &script{source: src, rewrite: plan.NewRewrite(src.text, nil)}
	fail := func(err *sqlerr.Error) (*script, place, error) {
		return nil, s.place(byteOffset(s.rewrite.Text(), err.Position)), err
	}
	if !utf8.ValidString(src.text) {
		return fail(sqlerr.New(sqlerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8"`).
			At(characterAt(src.text, invalidAt(src.text))))
	}
	rewrite, err := substitute(src.text, variables)
	if err != nil {
		return fail(err)
	}
	s.rewrite = rewrite
	if err := metaCommand(rewrite.Text()); err != nil {
		return fail(err)
	}
	statements, splitErr := parse.Split(rewrite.Text())
	if splitErr != nil {
		return fail(withCopyHint(rewrite.Text(), sqlerr.From(splitErr)))
	}
	for _, st := range statements {
		if st.Err != nil && len(st.Tokens()) == 0 {
			return fail(withCopyHint(rewrite.Text(), st.Err)) // a file that could not be cut into statements
		}
		if err := runnable(&st); err != nil {
			return fail(err)
		}
	}
	s.statements = statements
	return s, place{}, nil
}

// runnable refuses what cannot be run from a file.
func runnable(st *parse.Statement) *sqlerr.Error {
	if c := st.Node.GetCopyStmt(); c != nil && c.GetFilename() == "" && !c.GetIsProgram() {
		return sqlerr.New(sqlerr.FeatureNotSupported, "COPY FROM stdin and COPY TO stdout are not supported in files").
			WithHint("Write INSERT INTO … VALUES (…), or use psql.").At(st.Position(0))
	}
	if st.Node.GetTransactionStmt().GetKind() == pg_query.TransactionStmtKind_TRANS_STMT_PREPARE {
		return sqlerr.New(sqlerr.FeatureNotSupported, "PREPARE TRANSACTION is not supported in files").At(st.Position(0))
	}
	return nil
}

// metaCommand refuses what only psql understands. No token of SQL begins with a backslash.
func metaCommand(text string) *sqlerr.Error {
	scanned, err := pg_query.Scan(text)
	if err != nil {
		return nil // Split says it
	}
	for _, t := range scanned.GetTokens() {
		if start := int(t.GetStart()); text[start] == '\\' {
			command := strings.Fields(text[start:])[0]
			if command == `\.` {
				return sqlerr.New(sqlerr.FeatureNotSupported, "COPY with its rows in the file is not supported").
					WithHint("Write INSERT INTO … VALUES (…), or use psql.").At(characterAt(text, start))
			}
			return sqlerr.New(sqlerr.FeatureNotSupported, `"%s" is a command of psql and not supported in files`, command).
				WithHint("Files hold SQL only.").At(characterAt(text, start))
		}
	}
	return nil
}

var copyFromFile = regexp.MustCompile(`(?i)\bfrom\s+stdin\b`)

// withCopyHint explains an error whose likely cause is a file with rows for COPY.
func withCopyHint(text string, err *sqlerr.Error) *sqlerr.Error {
	if err.Hint == "" && copyFromFile.MatchString(text) {
		return err.WithHint("COPY … FROM stdin with its rows in the file is not supported; write INSERT INTO … VALUES (…).")
	}
	return err
}

// place is where a byte of the text that runs stands in the file.
func (s *script) place(offset int) place {
	original := s.rewrite.OriginalOffset(offset)
	before := s.text[:original]
	begin := strings.LastIndexByte(before, '\n') + 1
	return place{line: 1 + strings.Count(before, "\n"), column: 1 + utf8.RuneCountInString(before[begin:])}
}

// placeIn is where a character of a statement, counted from 1, stands in the file; that of the statement
// itself for 0.
func (s *script) placeIn(st *parse.Statement, position int) place {
	return s.place(st.Offset + byteOffset(st.Text, position))
}

// byteOffset is the offset of a character that is counted from 1; 0 for none.
func byteOffset(text string, position int) int {
	for offset := range text {
		if position <= 1 {
			return offset
		}
		position--
	}
	return len(text)
}

// characterAt is the place of a byte, in characters counted from 1.
func characterAt(text string, offset int) int { return utf8.RuneCountInString(text[:offset]) + 1 }

func invalidAt(text string) int {
	for offset, r := range text {
		if _, size := utf8.DecodeRuneInString(text[offset:]); r == utf8.RuneError && size == 1 {
			return offset
		}
	}
	return 0
}

// explainable tells whether the statement may be one whose plan the gateway tells. Others are the home
// database's, or answers.
func explainable(st *parse.Statement) bool {
	if st.Node.GetCreateTableAsStmt() != nil || st.Node.GetRefreshMatViewStmt() != nil || st.Err != nil {
		return false
	}
	switch st.Word(0) {
	case "create", "drop", "alter", "comment", "refresh":
		return true
	default:
		return false
	}
}
