package parse

// DropCatalog is DROP CATALOG, DROP DATABASE or DROP SERVER. Of the last two only the catalog's name
// tells whether it is ours.
type DropCatalog struct {
	Spelling string // CATALOG, DATABASE or SERVER
	Names    []Ident
	IfExists bool
	Cascade  bool
}

// Tag is the command tag of the spelling used.
func (s *DropCatalog) Tag() string { return "DROP " + s.Spelling }

// dropCatalog reads what follows DROP CATALOG.
func (c *cursor) dropCatalog() (Extension, error) {
	st, _, err := c.dropCatalogList("CATALOG")
	if err != nil {
		return nil, err
	}
	return st, c.end()
}

// dropDatabase reads what follows DROP DATABASE when it says CASCADE or RESTRICT, which PostgreSQL's own
// does not have.
func (c *cursor) dropDatabase() Extension {
	st, behavior, err := c.dropCatalogList("DATABASE")
	if err != nil || !behavior || c.more() {
		return nil
	}
	return st
}

func (c *cursor) dropCatalogList(spelling string) (st *DropCatalog, behavior bool, err error) {
	st = &DropCatalog{Spelling: spelling, IfExists: c.ifExists()}
	for {
		name, err := c.ident()
		if err != nil {
			return st, false, err
		}
		st.Names = append(st.Names, name)
		if !c.takeSymbol(',') {
			break
		}
	}
	at := c.at
	st.Cascade = c.behavior()
	return st, c.at > at, nil
}

// DropCatalog reads a DROP DATABASE or DROP SERVER, which PostgreSQL's parser has read, as one of a
// catalog; nil when the statement is another one.
func (s *Statement) DropCatalog() *DropCatalog {
	if ext, ok := s.Extension.(*DropCatalog); ok {
		return ext
	}
	c := &cursor{st: s}
	spelling := ""
	switch {
	case s.Node.GetDropdbStmt() != nil && c.take("drop", "database"):
		spelling = "DATABASE"
	case isDropServer(s) && c.take("drop", "server"):
		spelling = "SERVER"
	default:
		return nil
	}
	st, _, err := c.dropCatalogList(spelling)
	if err != nil {
		return nil
	}
	return st
}
