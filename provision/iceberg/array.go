package iceberg

import (
	"strings"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// parseArray reads a one-dimensional array in PostgreSQL's text form: {a,NULL,"x,y"}. A nil element is
// NULL.
func parseArray(text string) ([]*string, error) {
	malformed := sqlerr.New(codeArrayFormat, "malformed array literal: %q", text)
	if strings.HasPrefix(text, "[") {
		return nil, provision.Error(provision.Unsupported, "arrays whose bounds do not start at 1 are not supported by iceberg tables")
	}
	if len(text) < 2 || text[0] != '{' || text[len(text)-1] != '}' {
		return nil, malformed
	}
	inside := text[1 : len(text)-1]
	if inside == "" {
		return nil, nil
	}
	var elements []*string
	for {
		element, rest, ok := takeElement(inside)
		switch {
		case strings.HasPrefix(inside, "{"):
			return nil, provision.Error(provision.Unsupported, "arrays of more than one dimension are not supported by iceberg tables")
		case !ok:
			return nil, malformed
		}
		elements = append(elements, element)
		if rest == "" {
			return elements, nil
		}
		if rest[0] != ',' {
			return nil, malformed
		}
		inside = rest[1:]
	}
}

// takeElement reads the first element; the rest begins with the comma after it.
func takeElement(text string) (element *string, rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		end := strings.IndexByte(text, ',')
		if end < 0 {
			end = len(text)
		}
		plain := text[:end]
		if plain == "" || strings.ContainsAny(plain, `"{}\`) {
			return nil, "", false
		}
		if strings.EqualFold(plain, "NULL") {
			return nil, text[end:], true
		}
		return &plain, text[end:], true
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case text[i] == '"':
			quoted := b.String()
			return &quoted, text[i+1:], true
		default:
			b.WriteByte(text[i])
		}
	}
	return nil, "", false
}
