package parse

import "strings"

// quickScan is scan for a text that leaves no doubt about its tokens: names, plain numbers, strings and common
// operators in ASCII, with comments up to the end of a line. It takes a tenth of the time, and knows when it does
// not know (false): whatever has rules of its own is PostgreSQL's lexer's.
func quickScan(text string) ([]Token, bool) {
	q := quickScanner{text: text, tokens: make([]Token, 0, len(text)/4)}
	for q.at < len(text) {
		if !q.token() {
			return nil, false
		}
	}
	return q.tokens, true
}

type quickScanner struct {
	text   string
	at     int
	tokens []Token
}

// token takes one token, comment or blank; false: it is not plain.
func (q *quickScanner) token() bool {
	start := q.at
	switch c := q.text[start]; {
	case c == ' ' || c == '\n' || c == '\t' || c == '\r':
		q.at++
		return true
	case c >= 0x80:
		return false
	case isDigit(c):
		return q.number()
	case isWordByte(c) && c != '$':
		return q.word()
	case c == '"':
		return q.quotedIdent()
	case c == '\'':
		return q.string()
	case strings.IndexByte("(),;[].:", c) >= 0:
		return q.punctuation(c)
	default:
		return q.operator()
	}
}

func (q *quickScanner) add(kind Kind, end int) bool {
	q.tokens = append(q.tokens, Token{Kind: kind, Start: q.at, End: end})
	q.at = end
	return true
}

// after is the byte that far behind the one at hand, 0 behind the end.
func (q *quickScanner) after(n int) byte {
	if q.at+n >= len(q.text) {
		return 0
	}
	return q.text[q.at+n]
}

// word takes a name or keyword; E'…', U&"…" and the like begin like one.
func (q *quickScanner) word() bool {
	end := q.at + 1
	for end < len(q.text) && isWordByte(q.text[end]) {
		if q.text[end] >= 0x80 {
			return false
		}
		end++
	}
	if end < len(q.text) && (q.text[end] == '\'' || q.text[end] == '&') {
		return false
	}
	reserved := isReserved(q.text[q.at:end])
	q.add(Word, end)
	q.tokens[len(q.tokens)-1].Reserved = reserved
	return true
}

// number takes digits, with a fraction.
func (q *quickScanner) number() bool {
	end := q.digits(q.at)
	if end+1 < len(q.text) && q.text[end] == '.' && isDigit(q.text[end+1]) {
		end = q.digits(end + 1)
	}
	if end < len(q.text) && (q.text[end] == '.' || isWordByte(q.text[end])) {
		return false
	}
	return q.add(Number, end)
}

func (q *quickScanner) digits(at int) int {
	for at < len(q.text) && isDigit(q.text[at]) {
		at++
	}
	return at
}

// quotedIdent takes "x"; a quote within it is doubled.
func (q *quickScanner) quotedIdent() bool {
	end, ok := q.quoted('"')
	return ok && end > q.at+2 && q.add(QuotedIdent, end)
}

// string takes 'x'. One that another follows, behind a comment perhaps, may go on in that.
func (q *quickScanner) string() bool {
	end, ok := q.quoted('\'')
	if !ok {
		return false
	}
	rest := strings.TrimLeft(q.text[end:], " \t\r\n\f\v")
	if strings.HasPrefix(rest, "'") || strings.HasPrefix(rest, "--") {
		return false
	}
	return q.add(String, end)
}

// quoted is where what is quoted ends.
func (q *quickScanner) quoted(quote byte) (end int, ok bool) {
	for end = q.at + 1; end < len(q.text); end++ {
		switch c := q.text[end]; {
		case c >= 0x80 || c == '\\':
			return 0, false
		case c != quote:
		case end+1 < len(q.text) && q.text[end+1] == quote:
			end++
		default:
			return end + 1, true
		}
	}
	return 0, false
}

// punctuation takes one character that is a token by itself, or ::.
func (q *quickScanner) punctuation(c byte) bool {
	switch next := q.after(1); {
	case c == ':' && next == ':' && q.after(2) != ':' && q.after(2) != '=':
		return q.add(Operator, q.at+2)
	case c == ':' && (next == ':' || next == '='), c == '.' && (next == '.' || isDigit(next)):
		return false
	default:
		return q.add(Symbol, q.at+1)
	}
}

// operatorBytes are what operators are made of.
const operatorBytes = "~!@#^&|`?+-*/%<>="

// plainOperators are the characters that are operators by themselves.
const plainOperators = "+-*/<>=%"

// operator takes an operator of one or two characters, or a comment up to the end of its line.
func (q *quickScanner) operator() bool {
	end := q.at
	for end < len(q.text) && strings.IndexByte(operatorBytes, q.text[end]) >= 0 {
		end++
	}
	switch op := q.text[q.at:end]; {
	case strings.HasPrefix(op, "--"):
		if n := strings.IndexAny(q.text[q.at:], "\n\r"); n >= 0 {
			q.at += n
		} else {
			q.at = len(q.text)
		}
		return true
	case len(op) == 1 && strings.IndexByte(plainOperators, op[0]) >= 0:
		return q.add(Symbol, end)
	case op == "<=" || op == ">=" || op == "<>" || op == "!=" || op == "||" || op == "->":
		return q.add(Operator, end)
	default:
		return false
	}
}

// isReserved tells whether PostgreSQL takes a word as a name only in quotes.
func isReserved(word string) bool {
	if len(word) > reservedBytesMax {
		return false
	}
	_, reserved := reservedWords[foldASCII(word)]
	return reserved
}

// reservedBytesMax is the length of the longest reserved word.
const reservedBytesMax = len("current_timestamp")

// reservedWords are those of the parser's own list (see TestReservedWords).
//
//nolint:gochecknoglobals // a list
var reservedWords = func() map[string]struct{} {
	words := map[string]struct{}{}
	for w := range strings.FieldsSeq(`all analyse analyze and any array as asc asymmetric both case cast check collate
		column constraint create current_catalog current_date current_role current_time current_timestamp current_user
		default deferrable desc distinct do else end except false fetch for foreign from grant group having in initially
		intersect into lateral leading limit localtime localtimestamp not null offset on only or order placing primary
		references returning select session_user some symmetric system_user table then to trailing true union unique
		user using variadic when where window with`) {
		words[w] = struct{}{}
	}
	return words
}()
