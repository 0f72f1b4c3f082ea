package parse

import (
	"errors"

	pg_query "github.com/pganalyze/pg_query_go/v6"
	"github.com/pganalyze/pg_query_go/v6/parser"
)

// ShowJobs is SHOW JOBS [WHERE condition] [LIMIT n].
type ShowJobs struct {
	Where Ident // the condition's source; empty when there is none
	Limit Ident // a number, or empty
}

// Tag is the command tag.
func (*ShowJobs) Tag() string { return "SHOW" }

// JobVerb is what is asked about one job.
type JobVerb string

// The verbs.
const (
	ShowJob    JobVerb = "SHOW JOB"
	WaitForJob JobVerb = "WAIT FOR JOB"
	CancelJob  JobVerb = "CANCEL JOB"
	RetryJob   JobVerb = "RETRY JOB"
)

// Job is SHOW, WAIT FOR, CANCEL or RETRY JOB.
type Job struct {
	Verb    JobVerb
	ID      Ident  // as written, not checked to be a uuid
	Timeout *Ident // of WAIT FOR JOB: an interval
}

// Tag is the command tag.
func (s *Job) Tag() string {
	if s.Verb == ShowJob {
		return "SHOW"
	}
	return string(s.Verb)
}

// jobs reads what follows SHOW JOBS.
func (c *cursor) jobs() (Extension, error) {
	st := &ShowJobs{}
	if c.take("where") {
		start := c.at
		c.skipCondition()
		if c.at == start {
			return nil, c.unexpected()
		}
		span := Span{Start: c.st.tokens[start].Start, End: c.st.tokens[c.at-1].End}
		st.Where = Ident{Value: c.st.Text[span.Start:span.End], Span: span}
		if err := c.condition(span); err != nil {
			return nil, err
		}
	}
	if c.take("limit") {
		if !c.more() || c.st.tokens[c.at].Kind != Number {
			return nil, c.unexpected()
		}
		t := c.st.tokens[c.at]
		st.Limit = Ident{Value: c.st.Raw(c.at), Span: Span{Start: t.Start, End: t.End}}
		c.at++
	}
	return st, c.end()
}

// skipCondition moves to LIMIT, to a parenthesis that closes nothing, or to the end.
func (c *cursor) skipCondition() {
	for depth := 0; c.more(); c.at++ {
		switch {
		case c.peekSymbol('('):
			depth++
		case c.peekSymbol(')'):
			depth--
		}
		if depth < 0 || (depth == 0 && c.peek("limit")) {
			return
		}
	}
}

// condition checks that a part of the text is one expression and nothing else, since it becomes part of
// a query.
func (c *cursor) condition(span Span) error {
	const before, after = "SELECT WHERE (", ")"
	part := c.st.Text[span.Start:span.End]
	node, err := c.st.parseNode(before + part + after)
	if err != nil {
		var pe *parser.Error
		if !errors.As(err, &pe) {
			return c.st.parserError(err, c.st.Text, false)
		}
		offset := byteOffset(part, max(pe.Cursorpos-1-len(before), 0))
		if offset >= len(part) {
			return c.unexpected()
		}
		return &syntaxError{offset: span.Start + offset, message: pe.Message}
	}
	sel := node.GetSelectStmt()
	plain := sel.GetWhereClause() != nil && len(sel.GetTargetList()) == 0 && len(sel.GetFromClause()) == 0 &&
		len(sel.GetGroupClause()) == 0 && len(sel.GetSortClause()) == 0 && sel.GetHavingClause() == nil &&
		sel.GetLimitCount() == nil && sel.GetLimitOffset() == nil && len(sel.GetLockingClause()) == 0 &&
		sel.GetOp() == pg_query.SetOperation_SETOP_NONE
	if !plain {
		return &syntaxError{offset: span.Start, message: near(firstWord(part))}
	}
	return nil
}

// job reads an identifier of a job and what may follow.
func (c *cursor) job(verb JobVerb) (Extension, error) {
	st := &Job{Verb: verb}
	var err error
	if st.ID, err = c.str(); err != nil {
		if st.ID, err = c.ident(); err != nil {
			return nil, err
		}
	}
	if verb == WaitForJob && c.take("timeout") {
		timeout, err := c.str()
		if err != nil {
			return nil, err
		}
		st.Timeout = &timeout
	}
	return st, c.end()
}
