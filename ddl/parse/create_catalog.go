package parse

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
)

// CreateCatalog is CREATE CATALOG, CREATE DATABASE … WITH (…) or CREATE SERVER with one of our wrappers.
type CreateCatalog struct {
	Spelling    string // CATALOG, DATABASE or SERVER
	Name        Ident
	IfNotExists bool
	Comment     *Ident   // value and place of COMMENT 's'
	Wrapper     *Ident   // of CREATE SERVER: the catalog's type
	Options     []Option // of WITH or OPTIONS
}

// Tag is the command tag of the spelling used.
func (s *CreateCatalog) Tag() string { return "CREATE " + s.Spelling }

// createCatalog reads what follows CREATE CATALOG.
func (c *cursor) createCatalog() (Extension, error) {
	st := &CreateCatalog{Spelling: "CATALOG", IfNotExists: c.ifNotExists()}
	var err error
	if st.Name, err = c.ident(); err != nil {
		return nil, err
	}
	if c.take("comment") {
		comment, err := c.str()
		if err != nil {
			return nil, err
		}
		st.Comment = &comment
	}
	if !c.take("with") {
		return nil, c.unexpected()
	}
	if st.Options, _, _, err = c.optionList(); err != nil {
		return nil, err
	}
	return st, c.end()
}

// createDatabase reads what follows CREATE DATABASE when it is ours: n WITH (…). PostgreSQL's own has no
// parentheses there.
func (c *cursor) createDatabase() (Extension, error) {
	start := c.at
	name, err := c.ident()
	if err != nil || !c.take("with") || !c.peekSymbol('(') {
		c.at = start
		return nil, nil
	}
	st := &CreateCatalog{Spelling: "DATABASE", Name: name}
	if st.Options, _, _, err = c.optionList(); err != nil {
		return nil, err
	}
	return st, c.end()
}

// createServer turns a CREATE SERVER with one of our wrappers into a CreateCatalog.
func (s *Statement) createServer(node *pg_query.CreateForeignServerStmt) Extension {
	if !catalog.KnownType(node.GetFdwname()) {
		return nil
	}
	st := &CreateCatalog{Spelling: "SERVER", IfNotExists: node.GetIfNotExists()}
	c := &cursor{st: s, at: 2}
	c.ifNotExists()
	st.Name, _ = c.label()
	for c.more() && !c.take("foreign", "data", "wrapper") {
		c.at++
	}
	if wrapper, ok := c.label(); ok {
		st.Wrapper = &wrapper
	}
	for _, option := range node.GetOptions() {
		st.Options = append(st.Options, s.genericOption(option.GetDefElem()))
	}
	return st
}

// genericOption is one `key 'value'` of OPTIONS.
func (s *Statement) genericOption(elem *pg_query.DefElem) Option {
	o := Option{Key: elem.GetDefname(), Value: elem.GetArg().GetString_().GetSval(), Form: StringValue}
	i := s.TokenAt(int(elem.GetLocation()))
	if i >= 0 {
		o.KeySpan = Span{Start: s.tokens[i].Start, End: s.tokens[i].End}
	}
	if i >= 0 && i+1 < len(s.tokens) {
		o.ValueSpan = Span{Start: s.tokens[i+1].Start, End: s.tokens[i+1].End}
	}
	return o
}
