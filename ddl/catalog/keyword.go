package catalog

// isKeyword tells whether a lower-case word needs quotes as a column or table name. The list is that of
// PostgreSQL 17's reserved and type-or-function-name words; quoting one word too many does no harm.
func isKeyword(word string) bool {
	_, ok := keywords[word]
	return ok
}

//nolint:gochecknoglobals // a constant table
var keywords = func() map[string]struct{} {
	words := []string{
		"all", "analyse", "analyze", "and", "any", "array", "as", "asc", "asymmetric", "authorization", "binary",
		"both", "case", "cast", "check", "collate", "collation", "column", "concurrently", "constraint", "create",
		"cross", "current_catalog", "current_date", "current_role", "current_schema", "current_time",
		"current_timestamp", "current_user", "default", "deferrable", "desc", "distinct", "do", "else", "end",
		"except", "false", "fetch", "for", "foreign", "freeze", "from", "full", "grant", "group", "having", "ilike",
		"in", "initially", "inner", "intersect", "into", "is", "isnull", "join", "lateral", "leading", "left",
		"like", "limit", "localtime", "localtimestamp", "natural", "not", "notnull", "null", "offset", "on", "only",
		"or", "order", "outer", "overlaps", "placing", "primary", "references", "returning", "right", "select",
		"session_user", "similar", "some", "symmetric", "system_user", "table", "tablesample", "then", "to",
		"trailing", "true", "union", "unique", "user", "using", "variadic", "verbose", "when", "where", "window",
		"with", "between", "bigint", "bit", "boolean", "char", "character", "coalesce", "dec", "decimal", "exists",
		"extract", "float", "greatest", "grouping", "inout", "int", "integer", "interval", "least", "national",
		"nchar", "none", "normalize", "nullif", "numeric", "out", "overlay", "position", "precision", "real", "row",
		"setof", "smallint", "substring", "time", "timestamp", "treat", "trim", "values", "varchar",
	}
	set := make(map[string]struct{}, len(words))
	for _, w := range words {
		set[w] = struct{}{}
	}
	return set
}()
