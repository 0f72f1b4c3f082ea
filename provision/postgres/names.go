package postgres

import (
	"strings"

	"github.com/jackc/pgx/v5"
)

// ident quotes an identifier always: which words are reserved depends on the server's version.
func ident(name string) string { return pgx.Identifier{name}.Sanitize() }

func idents(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = ident(n)
	}
	return strings.Join(quoted, ", ")
}
