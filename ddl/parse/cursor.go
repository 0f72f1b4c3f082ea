package parse

// cursor walks over the tokens of a statement. Its methods that take something return whether it was
// there; those that demand something return a *syntaxError with PostgreSQL's wording.
type cursor struct {
	st *Statement
	at int
}

func (c *cursor) more() bool { return c.at < len(c.st.tokens) }

// offset is where the next token starts, or the end of the text.
func (c *cursor) offset() int {
	if c.more() {
		return c.st.tokens[c.at].Start
	}
	return len(c.st.Text)
}

// unexpected complains of the next token.
func (c *cursor) unexpected() *syntaxError {
	return &syntaxError{offset: c.offset(), message: near(c.st.Raw(c.at))}
}

// peek tells whether the next tokens are these words.
func (c *cursor) peek(words ...string) bool {
	for i, word := range words {
		if c.st.Word(c.at+i) != word {
			return false
		}
	}
	return true
}

// take moves over these words when all of them are next.
func (c *cursor) take(words ...string) bool {
	if !c.peek(words...) {
		return false
	}
	c.at += len(words)
	return true
}

func (c *cursor) peekSymbol(symbol byte) bool { return c.st.Symbol(c.at) == symbol }

func (c *cursor) takeSymbol(symbol byte) bool {
	if !c.peekSymbol(symbol) {
		return false
	}
	c.at++
	return true
}

func (c *cursor) demandSymbol(symbol byte) error {
	if !c.takeSymbol(symbol) {
		return c.unexpected()
	}
	return nil
}

// end demands that nothing follows.
func (c *cursor) end() error {
	if c.more() {
		return c.unexpected()
	}
	return nil
}

// ident demands a name. A reserved word is one only in quotes.
func (c *cursor) ident() (Ident, error) {
	if c.more() && !c.st.tokens[c.at].Reserved {
		if ident, ok := c.label(); ok {
			return ident, nil
		}
	}
	return Ident{}, c.unexpected()
}

// label takes a name where any word is one.
func (c *cursor) label() (Ident, bool) {
	value, ok := c.st.Ident(c.at)
	if !ok {
		return Ident{}, false
	}
	t := c.st.tokens[c.at]
	c.at++
	return Ident{Value: value, Span: Span{Start: t.Start, End: t.End}}, true
}

// qualified demands a dotted name of at most limit parts. As in PostgreSQL the first part may not be a
// reserved word, the others may.
func (c *cursor) qualified(limit int) (QualifiedName, error) {
	first, err := c.ident()
	if err != nil {
		return nil, err
	}
	name := QualifiedName{first}
	for c.peekSymbol('.') {
		if len(name) == limit {
			return nil, c.unexpected()
		}
		c.at++
		part, ok := c.label()
		if !ok {
			return nil, c.unexpected()
		}
		name = append(name, part)
	}
	return name, nil
}

// str demands a string and returns its value.
func (c *cursor) str() (Ident, error) {
	if !c.more() || c.st.tokens[c.at].Kind != String {
		return Ident{}, c.unexpected()
	}
	t := c.st.tokens[c.at]
	value, ok := decodeString(c.st.Raw(c.at))
	if !ok {
		return Ident{}, c.unexpected()
	}
	c.at++
	return Ident{Value: value, Span: Span{Start: t.Start, End: t.End}}, nil
}

// skipParens moves over a balanced pair when the next token opens one.
func (c *cursor) skipParens() bool {
	if !c.peekSymbol('(') {
		return false
	}
	depth := 0
	for ; c.more(); c.at++ {
		switch c.st.Symbol(c.at) {
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 {
				c.at++
				return true
			}
		}
	}
	return false
}

// behavior takes CASCADE or RESTRICT.
func (c *cursor) behavior() (cascade bool) {
	if c.take("cascade") {
		return true
	}
	c.take("restrict")
	return false
}

// ifExists takes IF EXISTS.
func (c *cursor) ifExists() bool { return c.take("if", "exists") }

// ifNotExists takes IF NOT EXISTS.
func (c *cursor) ifNotExists() bool { return c.take("if", "not", "exists") }
