package home

import (
	_ "embed"
	"strings"
)

//go:embed setup_head.sql
var setupHead string

//go:embed setup_tail.sql
var setupTail string

// SetupScript is the script for psql that prepares an external PostgreSQL: configs/home-setup.sql. It is run
// by a superuser, once for each release that says so.
func SetupScript() string {
	return strings.Join([]string{setupHead, privilegedSQL, setupTail}, "\n")
}
