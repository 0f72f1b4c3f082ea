package provision

import (
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// LayeredPath returns schema and table of a resource in a layered system (table is empty for a schema).
// A table that is named without a schema lies in defaultSchema. A path that does not fit the kind, or a
// part that no system can hold, is an error.
func LayeredPath(r plan.Resource, defaultSchema string) (schema, table string, err error) {
	path := r.Path
	if len(path) == 0 {
		path = r.Name.Path()
	}
	switch {
	case r.Kind == plan.SchemaKind && len(path) == 1:
		schema = path[0]
	case r.Kind == plan.TableKind && len(path) == 1:
		schema, table = defaultSchema, path[0]
	case r.Kind == plan.TableKind && len(path) == 2:
		schema, table = path[0], path[1]
	default:
		return "", "", Error(Invalid, "%s %s has no place in catalog %q", r.Kind, strings.Join(path, "."), r.Name.Catalog)
	}
	for _, part := range path {
		if part == "" || strings.ContainsRune(part, 0) {
			return "", "", sqlerr.New(sqlerr.InvalidName, "invalid name %q", part)
		}
	}
	return schema, table, nil
}

// CheckNameLength refuses a name that is longer than max bytes: nothing is truncated.
func CheckNameLength(name string, maxBytes int) error {
	if len(name) <= maxBytes {
		return nil
	}
	return sqlerr.New(sqlerr.NameTooLong, "name %s is too long", catalog.QuoteIdent(name)).
		WithDetail("It has %d bytes; the limit is %d.", len(name), maxBytes)
}
