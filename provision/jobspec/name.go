package jobspec

import (
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

// fullName is the name in SQL. It differs from the path where a table was mapped to another external
// name, so it is read from displayName; a resource that has none is called as its path.
func fullName(spec *v1alpha1.TableProvisionJobSpec) catalog.Name {
	parts, ok := splitName(spec.DisplayName)
	if !ok || len(parts) < 2 || len(parts) > 3 || parts[0] != spec.Catalog.Name {
		parts = append([]string{spec.Catalog.Name}, spec.Table.Path...)
	}
	name := catalog.Name{Catalog: parts[0]}
	inner := parts[1:]
	if spec.Kind == v1alpha1.ObjectSchema {
		name.Schema = strings.Join(inner, ".")
		return name
	}
	last := len(inner) - 1
	name.Schema, name.Table = strings.Join(inner[:last], "."), inner[last]
	return name
}

// splitName splits a name in SQL quoting into its parts.
func splitName(text string) (parts []string, ok bool) {
	for rest := text; ; {
		part, after, ok := takeIdent(rest)
		if !ok {
			return nil, false
		}
		parts = append(parts, part)
		if after == "" {
			return parts, true
		}
		if after[0] != '.' {
			return nil, false
		}
		rest = after[1:]
	}
}

func takeIdent(text string) (ident, rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		end := strings.IndexAny(text, `."`)
		if end < 0 {
			end = len(text)
		}
		return text[:end], text[end:], end > 0
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		if text[i] != '"' {
			b.WriteByte(text[i])
			continue
		}
		if i+1 < len(text) && text[i+1] == '"' {
			b.WriteByte('"')
			i++
			continue
		}
		return b.String(), text[i+1:], b.Len() > 0
	}
	return "", "", false
}
