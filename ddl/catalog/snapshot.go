package catalog

// Snapshot is what one statement needs to know of the home database: the objects that it names, as the
// statement's own session sees them. It is read once and never changes.
type Snapshot struct {
	Database   string   // current_database()
	User       string   // current_user
	SearchPath []string // current_schemas(false)
	// Catalogs holds every catalog whose name is the first part of a name of the statement, and the
	// catalog of every schema below, by name.
	Catalogs map[string]Catalog
	// Schemas holds every home schema that a name of the statement may mean, and those of SearchPath, by
	// home name.
	Schemas map[string]Schema
	// Relations holds every home relation that a name of the statement resolves to, by HomeKey. A name
	// without a schema resolves as the session resolves it: temporary relations first.
	Relations map[string]Relation
	// Types holds the resolution of type names that the compiler does not know itself (enums, domains).
	Types map[string]TypeInfo
	// Settings holds the session's settings that were asked for; one that is not set is empty.
	Settings map[string]string
}

// Schema is a schema of the home database.
type Schema struct {
	Name    string
	OID     uint32
	Owner   string
	Catalog string // name of the catalog that it shows, empty for an ordinary schema
}

// Relation is a relation of the home database: a shadow, or an ordinary one (named by LIKE).
type Relation struct {
	OID        uint32
	HomeSchema string
	HomeName   string
	Kind       byte // relkind: r, v, m, f, p, S, i
	Owner      string
	Managed    bool
	Observed   bool     // discovered, not made here: managed = observed
	Catalog    string   // for a managed relation
	Path       []string // of the external object, for a managed relation
	Identity   string   // of the external object, see provision.Observation
	State      string   // ready, provisioning, failed, dropping
	JobID      string   // the job that State speaks of
	Table      Table    // columns, key and, for a managed one, options
	// Dependents are relations that depend on it (views), as "view public.v".
	Dependents []string
}

// TypeInfo is what the home database says of a type name.
type TypeInfo struct {
	Name string // canonical
	Kind byte   // typtype: b, e, d, c, r, m
	Base string // of a domain, canonical
}

// HomeKey is the key of Snapshot.Relations.
func HomeKey(schema, name string) string { return QuoteIdent(schema) + "." + QuoteIdent(name) }
