package catalog

// KnownType tells whether a word is a type of catalog.
func KnownType(typ string) bool {
	switch typ {
	case "postgres", "mysql", "kafka", "iceberg", "venice", "kubernetes":
		return true
	default:
		return false
	}
}

// EnforcesKeys tells whether a type of catalog refuses rows that break a primary key.
func EnforcesKeys(typ string) bool { return typ == "postgres" || typ == "mysql" }

// DefaultSchema is the schema that a table of a layered catalog is in when its name says none.
func (c Catalog) DefaultSchema() string {
	if schema, ok := c.Options.Get("default_schema"); ok && schema != "" {
		return schema
	}
	return "public"
}
