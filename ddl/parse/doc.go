// Package parse reads SQL text: PostgreSQL's grammar by its own parser (pg_query), and the statements
// and clauses that PostgreSQL does not have by a small front end over the same parser's tokens.
package parse
