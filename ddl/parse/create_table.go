package parse

import (
	"errors"
	"strings"

	"github.com/pganalyze/pg_query_go/v6/parser"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// TableClauses are the clauses of a CREATE TABLE that are ours, or that mean something of ours on a
// managed table. Node is parsed from the text without them.
type TableClauses struct {
	OrReplace bool
	// With is WITH (…), from the keyword to the closing parenthesis.
	With    Span
	Options []Option
	// OptionsErr is set when PostgreSQL can read the WITH clause and we cannot: it matters only when the
	// table turns out to be a managed one.
	OptionsErr *sqlerr.Error
	// Partitioned is PARTITIONED BY (…), from the keyword to the closing parenthesis.
	Partitioned  Span
	Partitioning []Transform
}

// Transform is one element of PARTITIONED BY: a column, or a function of one.
type Transform struct {
	Function string   // empty for a column alone
	Args     []string // as written: names folded or unquoted, numbers
	Numbers  []bool   // which of Args are numbers
	Span     Span
}

// createTable cuts our clauses out of a CREATE TABLE. Blanks take their place, so that the locations of
// the tree stay those of the text.
func (s *Statement) createTable() (bool, error) {
	c := &cursor{st: s}
	clauses := &TableClauses{}
	blanks, ok := c.tableHead(clauses)
	if !ok {
		return false, nil
	}
	found, extended, clauseErr := c.tableClauses(clauses)
	blanks = append(blanks, found...)
	extended = extended || clauses.OrReplace
	if clauseErr != nil {
		return s.tableWithoutClauses(clauses, clauseErr)
	}
	if len(blanks) == 0 {
		return false, nil
	}
	blanked := blank(s.Text, blanks)
	node, err := s.parseNode(blanked)
	if err != nil {
		if extended {
			return false, s.parserError(err, blanked, false)
		}
		return false, nil
	}
	s.Node, s.Table = node, clauses
	return true, nil
}

// tableHead moves behind the table's name. blanks are the parts before it that PostgreSQL cannot read.
func (c *cursor) tableHead(clauses *TableClauses) (blanks []Span, ok bool) {
	if !c.take("create") {
		return nil, false
	}
	start := c.offset()
	if c.take("or", "replace") {
		clauses.OrReplace = true
		blanks = append(blanks, Span{Start: start, End: c.st.tokens[c.at-1].End})
	}
	if c.peek("global") || c.peek("local") {
		c.at++
	}
	if c.peek("temp") || c.peek("temporary") || c.peek("unlogged") {
		c.at++
	}
	if !c.take("table") {
		return nil, false
	}
	c.ifNotExists()
	if _, err := c.qualified(3); err != nil {
		return nil, false
	}
	return blanks, true
}

// tableClauses finds WITH (…) and PARTITIONED BY (…) behind the name. A WITH after AS belongs to a query.
func (c *cursor) tableClauses(clauses *TableClauses) (blanks []Span, extended bool, err error) {
	for c.more() && !c.peek("as") {
		start := c.offset()
		switch {
		case c.peek("with") && c.st.Symbol(c.at+1) == '(' && clauses.With.Empty():
			c.at++
			options, span, ext, err := c.optionList()
			extended = extended || ext
			clauses.With = Span{Start: start, End: span.End}
			if err != nil {
				return blanks, extended, err
			}
			clauses.Options = options
			blanks = append(blanks, clauses.With)
		case c.take("partitioned", "by"):
			transforms, end, err := c.transforms()
			if err != nil {
				return blanks, true, err
			}
			extended = true
			clauses.Partitioning = transforms
			clauses.Partitioned = Span{Start: start, End: end}
			blanks = append(blanks, clauses.Partitioned)
		case c.skipParens():
		default:
			c.at++
		}
	}
	return blanks, extended, nil
}

// tableWithoutClauses decides about clauses that we cannot read. What PostgreSQL reads is its own
// (`autovacuum_enabled` and the like); where it fails at the same place, it says so as well; where it
// fails before, or not at all because the clause is no clause of its, ours is the better message.
func (s *Statement) tableWithoutClauses(clauses *TableClauses, clauseErr error) (bool, error) {
	ours := s.fail(clauseErr)
	if clauses.OrReplace {
		return false, ours
	}
	node, err := s.parseNode(s.Text)
	if err == nil {
		clauses.OptionsErr = ours
		s.Node, s.Table = node, clauses
		return true, nil
	}
	var pe *parser.Error
	if errors.As(err, &pe) && s.characters+pe.Cursorpos < ours.Position {
		return false, ours
	}
	return false, nil
}

// transforms reads the list of PARTITIONED BY.
func (c *cursor) transforms() (list []Transform, end int, err error) {
	if err := c.demandSymbol('('); err != nil {
		return nil, 0, err
	}
	for {
		t, err := c.transform()
		if err != nil {
			return nil, 0, err
		}
		if len(list) == TransformsMax {
			return nil, 0, &syntaxError{
				offset: t.Span.Start, code: sqlerr.ProgramLimitExceeded,
				message: "too many partitioning columns",
			}
		}
		list = append(list, t)
		if c.takeSymbol(',') {
			continue
		}
		if err := c.demandSymbol(')'); err != nil {
			return nil, 0, err
		}
		return list, c.st.tokens[c.at-1].End, nil
	}
}

func (c *cursor) transform() (Transform, error) {
	start := c.offset()
	name, ok := c.label()
	if !ok {
		return Transform{}, c.unexpected()
	}
	t := Transform{Span: Span{Start: start, End: name.End}}
	if !c.takeSymbol('(') {
		t.Args, t.Numbers = []string{name.Value}, []bool{false}
		return t, nil
	}
	t.Function = strings.ToLower(name.Value)
	for {
		switch {
		case c.more() && c.st.tokens[c.at].Kind == Number:
			t.Args, t.Numbers = append(t.Args, c.st.Raw(c.at)), append(t.Numbers, true)
			c.at++
		default:
			arg, ok := c.label()
			if !ok {
				return t, c.unexpected()
			}
			t.Args, t.Numbers = append(t.Args, arg.Value), append(t.Numbers, false)
		}
		if c.takeSymbol(',') {
			continue
		}
		if err := c.demandSymbol(')'); err != nil {
			return t, err
		}
		t.Span.End = c.st.tokens[c.at-1].End
		return t, nil
	}
}

// Transforms reads a list of PARTITIONED BY that stands alone, as an option's value.
func Transforms(text string) ([]Transform, error) {
	tokens, err := scan(text)
	if err != nil {
		return nil, wholeError(err)
	}
	st := &Statement{Text: text, tokens: tokens}
	c := &cursor{st: st}
	var list []Transform
	for {
		t, err := c.transform()
		if err != nil {
			return nil, st.fail(err)
		}
		list = append(list, t)
		if !c.takeSymbol(',') {
			break
		}
	}
	if err := c.end(); err != nil {
		return nil, st.fail(err)
	}
	return list, nil
}

// blank replaces the bytes of spans by blanks, so that offsets in bytes stay true.
func blank(text string, spans []Span) string {
	b := []byte(text)
	for _, span := range spans {
		for i := span.Start; i < span.End; i++ {
			if b[i] != '\n' {
				b[i] = ' '
			}
		}
	}
	return string(b)
}
