package catalog

// SecretKeyRef names one value of the secret store.
type SecretKeyRef struct {
	Name string
	Key  string
}

// Option is one `key = value` of a WITH clause. Exactly one of Value, SecretRef and Reference is meant:
// SecretRef points into the secret store, Reference is `env:NAME` or `file:path`, resolved where used.
type Option struct {
	Name      string
	Value     string
	SecretRef *SecretKeyRef
	Reference string
}

// Options is an ordered list of options; names are unique.
type Options []Option

// Get returns the plain value of an option, and whether it is there.
func (o Options) Get(name string) (string, bool) {
	for _, opt := range o {
		if opt.Name == name {
			return opt.Value, true
		}
	}
	return "", false
}

// Catalog is one registered external system.
type Catalog struct {
	Name       string
	Type       string // postgres, mysql, kafka, iceberg, venice, kubernetes
	Options    Options
	Generation int64 // grows with every change of the options
	Owner      string
	OID        uint32 // of the foreign server
	Comment    string
}

// Layered tells whether the catalog's type holds schemas that hold tables.
func (c Catalog) Layered() bool { return LayeredType(c.Type) }

// LayeredType tells whether a type of catalog holds schemas that hold tables.
func LayeredType(typ string) bool {
	switch typ {
	case "postgres", "mysql", "iceberg":
		return true
	default:
		return false
	}
}

// Column is a column of a table, in PostgreSQL's terms.
type Column struct {
	Name     string
	Type     string // canonical spelling as format_type prints it: numeric(10,2), timestamp with time zone, text[]
	NotNull  bool
	Default  string // SQL expression, empty when there is none
	Identity string // "", "ALWAYS" or "BY DEFAULT"
	Comment  string
}

// Constraint is a table constraint other than the primary key, as SQL text for systems that are
// databases: CHECK (...), UNIQUE (...), FOREIGN KEY (...) REFERENCES ...
type Constraint struct {
	Name       string
	Kind       ConstraintKind
	Definition string // from the keyword on, with names of the same catalog written as in that system
}

// ForeignKeys are the constraints of that kind, which a shadow cannot have itself.
func (t Table) ForeignKeys() []Constraint {
	keys := []Constraint{}
	for _, c := range t.Constraints {
		if c.Kind == ForeignKey {
			keys = append(keys, c)
		}
	}
	return keys
}

// ConstraintKind tells constraints apart that systems support to different degrees.
type ConstraintKind string

// The kinds of constraint.
const (
	Check      ConstraintKind = "CHECK"
	Unique     ConstraintKind = "UNIQUE"
	ForeignKey ConstraintKind = "FOREIGN KEY"
)

// Transform is one element of a partitioning: days(ts), bucket(16, id), identity when the column
// stands alone.
type Transform struct {
	Transform string
	Columns   []string
	Args      []string
}

// Table is the definition of a table.
type Table struct {
	Name         Name
	Columns      []Column
	PrimaryKey   []string
	KeyName      string // of the primary key's constraint at home; the system has its own
	Constraints  []Constraint
	Partitioning []Transform
	Options      Options
	Comment      string
}
