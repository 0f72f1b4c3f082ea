package postgres_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/provision/provisiontest"
	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
)

func TestConformance(t *testing.T) {
	provisiontest.Run(t, provisiontest.Config{New: conformanceSystem, Types: types(), Denied: true})
}

func conformanceSystem(t *testing.T) *provisiontest.System {
	s := newSystem(t)
	reader := "reader_of_" + s.database
	ctx := context.Background()
	err := server.Exec(ctx, s.database, fmt.Sprintf("CREATE ROLE %s LOGIN PASSWORD '%s'", reader, pgserver.Password))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The database, and what the role may do in it, is still there.
		if err := s.exec(ctx, fmt.Sprintf("DROP OWNED BY %s; DROP ROLE %s", reader, reader)); err != nil {
			t.Error(err)
		}
	})
	if err := s.exec(ctx, fmt.Sprintf("ALTER DEFAULT PRIVILEGES GRANT USAGE ON SCHEMAS TO %s", reader)); err != nil {
		t.Fatal(err)
	}
	denied := s.catalog("denied", catalog.Option{Name: "user", Value: reader})
	s.Denied = &denied
	s.Broken = []catalog.Catalog{
		s.catalog("noserver", catalog.Option{Name: "port", Value: "1"}),
		s.catalog("nohost", catalog.Option{Name: "host", Value: "no-such-host.invalid"}),
		s.catalog("nouser", catalog.Option{Name: "user", Value: "nobody"}),
		s.catalog("wrongpassword", catalog.Option{Name: "password", Value: pgserver.Password + "-wrong"}),
		s.catalog("nodatabase", catalog.Option{Name: "database", Value: "nosuchdatabase"}),
		s.catalog("notls", catalog.Option{Name: "sslmode", Value: "verify-full"}),
	}
	return s.System
}

// types is every type of the type table, and those that only PostgreSQL holds.
func types() []provisiontest.Type {
	return []provisiontest.Type{
		{SQL: "boolean", Values: []string{"t", "f"}},
		{SQL: "smallint", Values: []string{"-32768", "32767"}},
		{SQL: "integer", Values: []string{"-2147483648", "2147483647"}},
		{SQL: "bigint", Values: []string{"-9223372036854775808", "9223372036854775807"}},
		{SQL: "real", Values: []string{"1.5", "-3.4e+38", "NaN", "Infinity", "-0"}},
		{SQL: "double precision", Values: []string{"0.1", "1.7976931348623157e+308", "NaN", "-Infinity"}},
		{SQL: "numeric(10,2)", Values: []string{"12345678.90", "-0.01", "NaN"}},
		{SQL: "numeric(38,18)", Values: []string{"12345678901234567890.123456789012345678"}},
		{SQL: "numeric", Values: []string{"12345678901234567890123456789012345678901234567890.5", "0"}},
		{SQL: "text", Values: []string{"", "ünïcödé 日本語 🙂", "tab\tnew\nline\rback\\slash", `\N`, `\.`, "'quote\""}},
		{SQL: "character varying(10)", Values: []string{"", "ten chars."}},
		{SQL: "character varying", Values: []string{"x"}},
		{SQL: "character(4)", Values: []string{"ab  "}},
		{SQL: "bytea", Values: []string{`\x`, `\x00ff5c0a`}},
		{SQL: "date", Values: []string{"2024-02-29", "0001-01-01", "9999-12-31", "infinity"}},
		{SQL: "time without time zone", Values: []string{"23:59:59.999999", "00:00:00", "24:00:00"}},
		{SQL: "time(3) without time zone", Values: []string{"01:02:03.004"}},
		{SQL: "timestamp without time zone", Values: []string{"2024-02-29 12:34:56.789012", "1969-12-31 23:59:59.999999"}},
		{SQL: "timestamp(3) without time zone", Values: []string{"2024-02-29 12:34:56.789"}},
		{SQL: "timestamp with time zone", Values: []string{"2024-02-29 12:34:56.789+00", "-infinity"}},
		{SQL: "interval", Values: []string{"1 mon 2 days 03:04:05"}},
		{SQL: "uuid", Values: []string{"00000000-0000-0000-0000-000000000000", "123e4567-e89b-12d3-a456-426614174000"}},
		{SQL: "json", Values: []string{`{"a":  1}`}},
		{SQL: "jsonb", Values: []string{`{"a": 1, "b": [null, "x\ny"]}`, "null"}},
		{SQL: "inet", Values: []string{"10.0.0.1", "::1/64"}},
		{SQL: "text[]", Values: []string{"{}", `{a,NULL,"NULL","","x,y","q\"\\"}`}},
		{SQL: "integer[]", Values: []string{"{1,NULL,-3}", "{{1,2},{3,4}}"}},
		{SQL: "numeric(10,2)[]", Values: []string{"{1.00,2.50}"}},
		{SQL: "bit(3)", Values: []string{"101"}},
		{SQL: "int4range", Values: []string{"[1,5)", "empty"}},
	}
}
