package parse

// Objects is a kind of object that SHOW lists.
type Objects string

// The kinds.
const (
	Catalogs Objects = "CATALOGS"
	Schemas  Objects = "SCHEMAS"
	Tables   Objects = "TABLES"
)

// ShowObjects is SHOW CATALOGS | SCHEMAS | TABLES [FROM x] [LIKE 'p'].
type ShowObjects struct {
	Objects Objects
	From    QualifiedName // at most two parts: catalog, schema
	Like    *Ident
}

// Tag is the command tag.
func (*ShowObjects) Tag() string { return "SHOW" }

// Describe is DESCRIBE n.
type Describe struct {
	Name QualifiedName // one to three parts
}

// Tag is the command tag.
func (*Describe) Tag() string { return "DESCRIBE" }

// objects reads what follows SHOW CATALOGS and the like.
func (c *cursor) objects(kind Objects) (Extension, error) {
	st := &ShowObjects{Objects: kind}
	if c.peek("from") && kind != Catalogs {
		c.at++
		limit := 1
		if kind == Tables {
			limit = 2
		}
		var err error
		if st.From, err = c.qualified(limit); err != nil {
			return nil, err
		}
	}
	if c.take("like") {
		pattern, err := c.str()
		if err != nil {
			return nil, err
		}
		st.Like = &pattern
	}
	return st, c.end()
}

// describe reads what follows DESCRIBE.
func (c *cursor) describe() (Extension, error) {
	name, err := c.qualified(3)
	if err != nil {
		return nil, err
	}
	return &Describe{Name: name}, c.end()
}

// ShowCreate is SHOW CREATE TABLE | VIEW | CATALOG n.
type ShowCreate struct {
	Kind string        // TABLE, VIEW or CATALOG
	Name QualifiedName // one to three parts; one of a catalog
}

// Tag is the command tag.
func (*ShowCreate) Tag() string { return "SHOW" }

// showCreate reads what follows SHOW CREATE.
func (c *cursor) showCreate() (Extension, error) {
	st := &ShowCreate{}
	limit := 3
	switch {
	case c.take("table"):
		st.Kind = "TABLE"
	case c.take("view"):
		st.Kind = "VIEW"
	case c.take("catalog"):
		st.Kind, limit = "CATALOG", 1
	default:
		return nil, c.unexpected().withNear(c.st.Word(c.at), "table", "view", "catalog")
	}
	var err error
	if st.Name, err = c.qualified(limit); err != nil {
		return nil, err
	}
	return st, c.end()
}
