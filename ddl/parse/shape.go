package parse

import "strings"

// Shape is the text of one SELECT, INSERT, UPDATE or DELETE with its numbers and plain strings taken out. Two
// texts of one shape that can be read at all mention the same names. It is the same kind of key as Normalize
// makes, for a tenth of the time, and there is none for a text with anything that makes lexing hard:
// comments, dollar quotes, escapes, several statements.
func Shape(text string) (string, bool) {
	if !startsShaped(text) {
		return "", false
	}
	s := shaper{text: text}
	s.out.Grow(len(text))
	for s.at < len(text) {
		if !s.token() {
			return "", false
		}
	}
	s.keep()
	return s.out.String(), true
}

// startsShaped tells whether the text begins with a statement whose constants say nothing about its names.
func startsShaped(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	const length = len("select")
	if len(text) <= length {
		return false
	}
	switch strings.ToLower(text[:length]) {
	case "select", "insert", "update", "delete":
		return !isWordByte(text[length])
	default:
		return false
	}
}

// Defines tells whether the text begins with a word that only statements begin with which define something.
func Defines(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	end := strings.IndexFunc(text, func(r rune) bool { return r < 'A' || r > 'z' })
	if end < 0 || end > len("comment") {
		return false
	}
	switch strings.ToLower(text[:end]) {
	case "create", "alter", "drop", "comment", "refresh":
		return true
	default:
		return false
	}
}

// shaper is on its way through a text: out holds the shape of it up to kept, and what lies between kept and at
// is taken as it is.
type shaper struct {
	text     string
	kept, at int
	out      strings.Builder
}

// token takes one token, or one byte of an operator; false: the text has no shape.
func (s *shaper) token() bool {
	switch c := s.text[s.at]; {
	case isDigit(c):
		return s.number()
	case isWordByte(c) && c != '$':
		s.word()
		return s.next() != '\'' // E'…', B'…' and the like have rules of their own
	case c == ' ':
		s.at++
		return true
	default:
		return s.special(c)
	}
}

// special takes what is neither a word nor a number.
func (s *shaper) special(c byte) bool {
	s.at++
	switch c {
	case '$':
		return s.parameter()
	case '\'':
		return s.literal()
	case '"':
		end := strings.IndexByte(s.text[s.at:], '"')
		s.at += end + 1
		return end >= 0
	case '\\':
		return false
	case '-':
		return s.next() != '-'
	case '/':
		return s.next() != '*'
	case '&':
		return s.next() != '\'' && s.next() != '"'
	case ';':
		return strings.TrimLeft(s.text[s.at:], " \t\r\n") == ""
	default:
		return true
	}
}

// next is the byte at hand, 0 at the end.
func (s *shaper) next() byte {
	if s.at == len(s.text) {
		return 0
	}
	return s.text[s.at]
}

// keep takes over what was passed since it was last called.
func (s *shaper) keep() {
	s.out.WriteString(s.text[s.kept:s.at])
	s.kept = s.at
}

// replace puts something in the place of the text up to end.
func (s *shaper) replace(end int, with string) {
	s.keep()
	s.out.WriteString(with)
	s.at, s.kept = end, end
}

// number takes the digits of a constant, with a fraction; those of a name are part of its word.
func (s *shaper) number() bool {
	end := s.digits(s.at)
	if end < len(s.text) && s.text[end] == '.' {
		end = s.digits(end + 1)
	}
	s.replace(end, "0")
	return s.next() != '.' && !isWordByte(s.next())
}

// digits is where the digits at a place end.
func (s *shaper) digits(at int) int {
	for at < len(s.text) && isDigit(s.text[at]) {
		at++
	}
	return at
}

// parameter takes $1; any other dollar begins a quote.
func (s *shaper) parameter() bool {
	start := s.at
	s.at = s.digits(s.at)
	return s.at > start && !isWordByte(s.next())
}

// literal takes a string in plain quotes, of which the first is passed.
func (s *shaper) literal() bool {
	length := strings.IndexByte(s.text[s.at:], '\'')
	if length < 0 || strings.IndexByte(s.text[s.at:s.at+length], '\\') >= 0 {
		return false
	}
	s.at--
	s.replace(s.at+length+2, "''")
	return true
}

func (s *shaper) word() {
	for s.at < len(s.text) && isWordByte(s.text[s.at]) {
		s.at++
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isWordByte tells whether a byte may be within a name; every byte of a longer character is.
func isWordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || isDigit(c) || c == '_' || c == '$' || c >= 0x80
}
