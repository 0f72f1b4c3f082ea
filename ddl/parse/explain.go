package parse

import (
	"fmt"
	"strings"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// ExplainFormat is the form of a plan's text.
type ExplainFormat string

// The formats.
const (
	TextFormat ExplainFormat = "text"
	JSONFormat ExplainFormat = "json"
	YAMLFormat ExplainFormat = "yaml"
)

// Explain is EXPLAIN of a statement that PostgreSQL's EXPLAIN does not take.
type Explain struct {
	Format ExplainFormat
	Inner  *Statement
}

// Tag is the command tag.
func (*Explain) Tag() string { return "EXPLAIN" }

// explain reads what follows EXPLAIN when a statement of ours is explained; else it is PostgreSQL's.
func (c *cursor) explain() (Extension, error) {
	start := c.at
	c.skipExplainOptions()
	first := c.at
	if !c.explainsDDL() {
		return nil, nil
	}
	inner := newStatement(c.st.Text, c.st.tokens[first:], c.st.characters)
	inner.characters = c.st.Position(inner.Offset) - 1
	inner.Offset += c.st.Offset
	if err := inner.parse(false); err != nil {
		return nil, err
	}
	if inner.Err != nil || inner.postgresExplains() {
		return nil, nil
	}
	c.at = start
	format, err := c.explainOptions()
	if err != nil {
		return nil, err
	}
	return &Explain{Format: format, Inner: &inner}, nil
}

func (c *cursor) skipExplainOptions() {
	if c.skipParens() {
		return
	}
	for c.take("analyze") || c.take("analyse") || c.take("verbose") {
		continue
	}
}

func (c *cursor) explainsDDL() bool {
	switch c.st.Word(c.at) {
	case "create", "drop", "alter", "comment", "grant", "revoke", "refresh":
		return true
	default:
		return false
	}
}

// postgresExplains tells whether the statement is one of those that PostgreSQL's own EXPLAIN takes.
func (s *Statement) postgresExplains() bool {
	return s.Node.GetCreateTableAsStmt() != nil || s.Node.GetRefreshMatViewStmt() != nil
}

// explainOptions reads the options; ANALYZE and the others of PostgreSQL would change nothing in a plan
// of ours, so they are refused rather than ignored.
func (c *cursor) explainOptions() (ExplainFormat, error) {
	format := TextFormat
	if !c.takeSymbol('(') {
		if c.peek("analyze") || c.peek("analyse") || c.peek("verbose") {
			return "", c.explainUnsupported(c.upperWord())
		}
		return format, nil
	}
	for {
		if !c.take("format") {
			if _, ok := c.st.Ident(c.at); !ok {
				return "", c.unexpected()
			}
			return "", c.explainUnsupported(c.upperWord())
		}
		value, err := c.explainFormat()
		if err != nil {
			return "", err
		}
		format = value
		if c.takeSymbol(',') {
			continue
		}
		return format, c.demandSymbol(')')
	}
}

func (c *cursor) explainFormat() (ExplainFormat, error) {
	offset := c.offset()
	value, err := c.str()
	if err != nil {
		var ok bool
		if value, ok = c.label(); !ok {
			return "", c.unexpected()
		}
	}
	switch format := ExplainFormat(strings.ToLower(value.Value)); format {
	case TextFormat, JSONFormat, YAMLFormat:
		return format, nil
	default:
		return "", &syntaxError{
			offset: offset, code: sqlerr.InvalidParameterValue,
			message: fmt.Sprintf("unrecognized value for EXPLAIN option \"format\": %q", value.Value),
			hint:    "The formats are text, json and yaml.",
		}
	}
}

func (c *cursor) upperWord() string { return strings.ToUpper(c.st.Raw(c.at)) }

func (c *cursor) explainUnsupported(option string) error {
	return &syntaxError{
		offset: c.offset(), code: sqlerr.FeatureNotSupported,
		message: "EXPLAIN " + option + " is not supported for statements that define objects",
		hint:    "Write EXPLAIN (FORMAT text | json | yaml).",
	}
}
