package iceberg_test

import "github.com/tablewright/tablewright/provision/provisiontest"

// types is the type table: what PostgreSQL's types become, and how they come back.
func types() []provisiontest.Type {
	return []provisiontest.Type{
		{SQL: "boolean", Values: []string{"t", "f"}},
		{SQL: "smallint", Found: "integer", Values: []string{"-32768", "32767"}},
		{SQL: "integer", Values: []string{"-2147483648", "2147483647"}},
		{SQL: "bigint", Values: []string{"-9223372036854775808", "9223372036854775807"}},
		{SQL: "real", Values: []string{"1.5", "-3.4e+38", "NaN", "Infinity", "-0", "0.1", "123456", "1e+06", "0.0001", "1e-05"}},
		{SQL: "double precision", Values: []string{
			"0.1", "1.7976931348623157e+308", "NaN", "-Infinity", "123456789012345", "1e+15", "5e-324", "-0", "0.0001", "1e-05",
		}},
		{SQL: "numeric(10,2)", Values: []string{"12345678.90", "-0.01", "0.00", "99999999.99"}},
		{SQL: "numeric(38,0)", Values: []string{"99999999999999999999999999999999999999", "-1"}},
		{SQL: "numeric(38,18)", Values: []string{"12345678901234567890.123456789012345678", "0.000000000000000001"}},
		{SQL: "numeric", Found: "numeric(38,18)", Values: []string{"1.500000000000000000"}},
		{SQL: "numeric(5)", Found: "numeric(5,0)", Values: []string{"-12345"}},
		{SQL: "text", Values: []string{"", "ünïcödé 日本語 🙂", "tab\tnew\nline\rback\\slash", `\N`, "'quote\"", "NULL"}},
		{SQL: "character varying(10)", Found: "text", Values: []string{"", "ten chars."}},
		{SQL: "character varying", Found: "text", Values: []string{"x"}},
		{SQL: "character(4)", Found: "text", Values: []string{"ab  "}},
		{SQL: "bytea", Values: []string{`\x`, `\x00ff5c0a`}},
		{SQL: "date", Values: []string{"2024-02-29", "0001-01-01", "9999-12-31", "1969-12-31"}},
		{SQL: "time without time zone", Values: []string{"23:59:59.999999", "00:00:00", "12:30:00.5"}},
		{SQL: "time(3) without time zone", Found: "time without time zone", Values: []string{"01:02:03.004"}},
		{SQL: "timestamp without time zone", Values: []string{"2024-02-29 12:34:56.789012", "1969-12-31 23:59:59.999999", "0001-01-01 00:00:00"}},
		{SQL: "timestamp(3) without time zone", Found: "timestamp without time zone", Values: []string{"2024-02-29 12:34:56.789"}},
		{SQL: "timestamp with time zone", Values: []string{"2024-02-29 12:34:56.789+00", "9999-12-31 23:59:59.999999+00"}},
		{SQL: "timestamp(0) with time zone", Found: "timestamp with time zone", Values: []string{"2024-02-29 12:34:56+00"}},
		{SQL: "uuid", Values: []string{"00000000-0000-0000-0000-000000000000", "123e4567-e89b-12d3-a456-426614174000"}},
		{SQL: "json", Found: "text", Values: []string{`{"a":  1}`}},
		{SQL: "jsonb", Found: "text", Values: []string{`{"a": 1, "b": [null, "x\ny"]}`, "null"}},
		{SQL: "inet", Found: "text", Values: []string{"10.0.0.1", "::1/64"}},
		{SQL: "text[]", Values: []string{"{}", `{a,NULL,"NULL","","x,y","q\"\\","with space"}`}},
		{SQL: "character varying(10)[]", Found: "text[]", Values: []string{"{a}"}},
		{SQL: "integer[]", Values: []string{"{1,NULL,-3}"}},
		{SQL: "numeric(10,2)[]", Values: []string{"{1.00,2.50}"}},
		{SQL: "boolean[]", Values: []string{"{t,f,NULL}"}},
		{SQL: "timestamp with time zone[]", Values: []string{`{"2024-02-29 12:34:56+00"}`}},
		{SQL: "uuid[]", Values: []string{"{123e4567-e89b-12d3-a456-426614174000}"}},
		{SQL: "double precision[]", Values: []string{"{0.1,NaN}"}},
		{SQL: "bytea[]", Values: []string{`{"\\x00ff"}`}},
		{SQL: "date[]", Values: []string{"{2024-02-29}"}},
	}
}

// refused is what an Iceberg table cannot hold.
func refused() []string {
	return []string{
		"interval", "time with time zone", "money", "bit(3)", "bit varying(3)", "xml", "int4range", "point", "tsvector",
		"numeric(39,2)", "numeric(5,-2)", "numeric(2,4)", "mood", "public.mood", "hstore", "interval[]", "oid",
	}
}
