package iceberg

import (
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/provision"
)

// term is one element of a list of transforms, with what follows it in a sort order.
type term struct {
	catalog.Transform
	order string // upper case, single spaces: "DESC NULLS LAST"
}

func syntaxError(option, text string) error {
	return provision.Error(provision.Invalid, "invalid value for option %q: %q", option, text).
		WithHint(`Write it like 'days(ts), bucket(16, id), region'.`)
}

// parseTerms reads a comma-separated list of transforms: days(ts), bucket(16, id), "Region" DESC. Names
// are folded and quoted as in SQL.
func parseTerms(text string) ([]term, error) {
	var terms []term
	for _, part := range splitList(text) {
		t, ok := parseTerm(part)
		if !ok {
			return nil, syntaxError("transform", part)
		}
		terms = append(terms, t)
	}
	return terms, nil
}

func parseTerm(text string) (term, bool) {
	head, rest, ok := takeName(text)
	if !ok {
		return term{}, false
	}
	if !strings.HasPrefix(rest, "(") {
		return term{Transform: catalog.Transform{Columns: []string{head}}, order: orderWords(rest)}, true
	}
	inside, after, ok := strings.Cut(rest[1:], ")")
	if strings.Contains(inside, `"`) {
		inside, after, ok = cutQuoted(rest[1:])
	}
	if !ok {
		return term{}, false
	}
	t := term{Transform: catalog.Transform{Transform: head}, order: orderWords(after)}
	for _, arg := range splitList(inside) {
		if arg != "" && arg[0] >= '0' && arg[0] <= '9' {
			t.Args = append(t.Args, arg)
			continue
		}
		name, left, ok := takeName(arg)
		if !ok || left != "" {
			return term{}, false
		}
		t.Columns = append(t.Columns, name)
	}
	return t, len(t.Columns) > 0
}

// cutQuoted cuts at the first closing parenthesis that is in no quotes.
func cutQuoted(text string) (before, after string, ok bool) {
	quoted := false
	for i, c := range text {
		switch {
		case c == '"':
			quoted = !quoted
		case c == ')' && !quoted:
			return text[:i], text[i+1:], true
		}
	}
	return "", "", false
}

// takeName reads an identifier from the start of text: folded, or as it is in quotes.
func takeName(text string) (name, rest string, ok bool) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, `"`) {
		for i := 1; i < len(text); i++ {
			if text[i] != '"' {
				continue
			}
			if i+1 < len(text) && text[i+1] == '"' {
				i++
				continue
			}
			return strings.ReplaceAll(text[1:i], `""`, `"`), strings.TrimSpace(text[i+1:]), i > 1
		}
		return "", "", false
	}
	end := strings.IndexFunc(text, func(r rune) bool {
		return r != '_' && r != '$' && r < 0x80 && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	if end < 0 {
		end = len(text)
	}
	return strings.ToLower(text[:end]), strings.TrimSpace(text[end:]), end > 0
}

func orderWords(text string) string { return strings.ToUpper(strings.Join(strings.Fields(text), " ")) }

// splitList splits at commas that are in no quotes and no parentheses.
func splitList(text string) []string {
	var parts []string
	depth, start, quoted := 0, 0, false
	for i, c := range text {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(text[start:i]))
			start = i + 1
		}
	}
	return append(parts, strings.TrimSpace(text[start:]))
}
