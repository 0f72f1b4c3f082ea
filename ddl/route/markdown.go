package route

import (
	"fmt"
	"strings"
)

// extensions are the statements that PostgreSQL's grammar does not have.
func extensions() [][2]string {
	return [][2]string{
		{"CREATE CATALOG, CREATE DATABASE … WITH (…), CREATE SERVER with one of our wrappers", "ours"},
		{"ALTER CATALOG, REFRESH CATALOG", "ours"},
		{"DROP CATALOG; DROP DATABASE and DROP SERVER of a catalog", "ours"},
		{"CREATE SCHEMA lake.s, DROP SCHEMA lake.s", "ours"},
		{"SHOW JOBS, SHOW JOB, WAIT FOR JOB, CANCEL JOB, RETRY JOB", "ours"},
		{"SHOW CATALOGS, SHOW SCHEMAS, SHOW TABLES, SHOW CREATE, DESCRIBE", "ours"},
		{"EXPLAIN of a statement that defines managed objects", "ours"},
		{"CREATE MATERIALIZED VIEW with OR REPLACE, REFRESHED or our WITH, ALTER MATERIALIZED VIEW … SUSPEND, … RESUME", "refused"},
		{"CREATE TRIGGER … ON table AS 'template', PAUSE, RESUME, FIRE TRIGGER, DROP TRIGGER without ON", "refused"},
		{"text that the parser cannot read", "home"},
	}
}

// Markdown is the routing table as it stands in the documentation.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| node | statement | nothing managed is named | something managed is named | more exactly |\n")
	b.WriteString("| --- | --- | --- | --- | --- |\n")
	for _, rule := range Rules() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", rule.Node, rule.SQL, rule.Home, rule.Managed, rule.Note)
	}
	b.WriteString("\n| not in PostgreSQL's grammar | route |\n| --- | --- |\n")
	for _, line := range extensions() {
		fmt.Fprintf(&b, "| %s | %s |\n", line[0], line[1])
	}
	return b.String()
}
