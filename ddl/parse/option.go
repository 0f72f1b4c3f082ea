package parse

import "strings"

// OptionForm is how an option's value is written.
type OptionForm uint8

// The forms of a value.
const (
	StringValue OptionForm = iota + 1 // 'x'
	NumberValue                       // 1, -1.5
	WordValue                         // true, kafka, a.b
	NoValue                           // the key stands alone, which means true
)

// Option is one `key = value` of a WITH or OPTIONS clause.
type Option struct {
	Key       string // dotted parts joined: sink.properties.format
	KeySpan   Span
	Value     string
	ValueSpan Span // empty for NoValue
	Form      OptionForm
}

// optionList reads `( key = value, … )`. extended tells that a form was used that PostgreSQL's own WITH
// does not have: a key in quotes of a string, no equals sign, more than one dot.
func (c *cursor) optionList() (options []Option, span Span, extended bool, err error) {
	span.Start = c.offset()
	if err := c.demandSymbol('('); err != nil {
		return nil, span, false, err
	}
	for {
		option, ext, err := c.option()
		if err != nil {
			return nil, span, extended, err
		}
		extended = extended || ext
		if len(options) == OptionsMax {
			return nil, span, extended, &syntaxError{
				offset: option.KeySpan.Start, code: "54000",
				message: "too many options",
			}
		}
		options = append(options, option)
		if c.takeSymbol(',') {
			continue
		}
		if err := c.demandSymbol(')'); err != nil {
			return nil, span, extended, err
		}
		span.End = c.st.tokens[c.at-1].End
		return options, span, extended, nil
	}
}

func (c *cursor) option() (Option, bool, error) {
	var o Option
	extended := false
	if key, err := c.str(); err == nil {
		o.Key, o.KeySpan, extended = key.Value, key.Span, true
	} else {
		dots, err := c.optionKey(&o)
		if err != nil {
			return o, false, err
		}
		extended = dots > 1
	}
	equals := c.takeSymbol('=')
	if !equals && (c.peekSymbol(',') || c.peekSymbol(')')) {
		o.Form, o.Value = NoValue, "true"
		return o, extended, nil
	}
	if !c.optionValue(&o, equals) {
		return o, extended, c.unexpected()
	}
	return o, extended || !equals, nil
}

// optionKey reads a bare or quoted key with any number of dots.
func (c *cursor) optionKey(o *Option) (dots int, err error) {
	var parts []string
	o.KeySpan.Start = c.offset()
	for {
		part, ok := c.label()
		if !ok {
			return 0, c.unexpected()
		}
		parts = append(parts, part.Value)
		o.KeySpan.End = part.End
		if !c.takeSymbol('.') {
			break
		}
	}
	o.Key = strings.Join(parts, ".")
	return len(parts) - 1, nil
}

// optionValue reads a value; without an equals sign only a string is one.
func (c *cursor) optionValue(o *Option, equals bool) bool {
	o.ValueSpan.Start = c.offset()
	if value, err := c.str(); err == nil {
		o.Value, o.Form, o.ValueSpan = value.Value, StringValue, value.Span
		return true
	}
	if !equals || !c.more() {
		return false
	}
	if c.number(o) {
		return true
	}
	var parts []string
	for {
		part, ok := c.label()
		if !ok {
			return false
		}
		parts = append(parts, part.Value)
		o.ValueSpan.End = part.End
		if !c.takeSymbol('.') {
			break
		}
	}
	o.Value, o.Form = strings.Join(parts, "."), WordValue
	return true
}

func (c *cursor) number(o *Option) bool {
	at, sign := c.at, ""
	if c.peekSymbol('-') || c.peekSymbol('+') {
		if c.peekSymbol('-') {
			sign = "-"
		}
		at++
	}
	if at >= len(c.st.tokens) || c.st.tokens[at].Kind != Number {
		return false
	}
	o.Value, o.Form = sign+c.st.Raw(at), NumberValue
	o.ValueSpan.End = c.st.tokens[at].End
	c.at = at + 1
	return true
}
