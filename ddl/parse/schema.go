package parse

import pg_query "github.com/pganalyze/pg_query_go/v6"

// CreateSchema is CREATE SCHEMA lake.s, or CREATE SCHEMA of any one name.
type CreateSchema struct {
	Name        QualifiedName // one or two parts
	IfNotExists bool
	// Extra tells that the statement has more than a name: AUTHORIZATION, or objects to be made in it.
	Extra Span
}

// Tag is the command tag.
func (*CreateSchema) Tag() string { return "CREATE SCHEMA" }

// DropSchema is DROP SCHEMA of names of one or two parts.
type DropSchema struct {
	Names    []QualifiedName
	IfExists bool
	Cascade  bool
	Options  []Option // of WITH, which is ours
	// OptionsSpan is the clause from WITH on.
	OptionsSpan Span
}

// Tag is the command tag.
func (*DropSchema) Tag() string { return "DROP SCHEMA" }

// createSchema reads what follows CREATE SCHEMA when the name has two parts.
func (c *cursor) createSchema() (Extension, error) {
	st := &CreateSchema{IfNotExists: c.ifNotExists()}
	if c.st.Symbol(c.at+1) != '.' {
		return nil, nil
	}
	var err error
	if st.Name, err = c.qualified(2); err != nil {
		return nil, err
	}
	return st, c.end()
}

// dropSchema reads what follows DROP SCHEMA when PostgreSQL's parser cannot: a name of two parts, or a
// WITH clause.
func (c *cursor) dropSchema() (Extension, error) {
	st, extended, err := c.dropSchemaList()
	if !extended {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return st, c.end()
}

func (c *cursor) dropSchemaList() (*DropSchema, bool, error) {
	st := &DropSchema{IfExists: c.ifExists()}
	extended := false
	for {
		name, err := c.qualified(2)
		extended = extended || len(name) > 1 || (err != nil && c.peekSymbol('.'))
		if err != nil {
			return st, extended, err
		}
		st.Names = append(st.Names, name)
		if !c.takeSymbol(',') {
			break
		}
	}
	st.Cascade = c.behavior()
	start := c.offset()
	if !c.take("with") {
		return st, extended, nil
	}
	options, span, _, err := c.optionList()
	st.Options, st.OptionsSpan = options, Span{Start: start, End: span.End}
	return st, true, err
}

// CreateSchema reads a CREATE SCHEMA in any grammar; nil when the statement is another one or names its
// schema by a role.
func (s *Statement) CreateSchema() *CreateSchema {
	if ext, ok := s.Extension.(*CreateSchema); ok {
		return ext
	}
	node := s.Node.GetCreateSchemaStmt()
	if node == nil || node.GetSchemaname() == "" {
		return nil
	}
	c := &cursor{st: s}
	if !c.take("create", "schema") {
		return nil
	}
	st := &CreateSchema{IfNotExists: c.ifNotExists()}
	name, ok := c.label()
	if !ok {
		return nil
	}
	st.Name = QualifiedName{name}
	if c.more() {
		st.Extra = Span{Start: c.offset(), End: len(s.Text)}
	}
	return st
}

// DropSchema reads a DROP SCHEMA in any grammar; nil when the statement is another one.
func (s *Statement) DropSchema() *DropSchema {
	if ext, ok := s.Extension.(*DropSchema); ok {
		return ext
	}
	if s.Node.GetDropStmt().GetRemoveType() != pg_query.ObjectType_OBJECT_SCHEMA {
		return nil
	}
	c := &cursor{st: s}
	if !c.take("drop", "schema") {
		return nil
	}
	st, _, err := c.dropSchemaList()
	if err != nil {
		return nil
	}
	return st
}

func isDropServer(s *Statement) bool {
	return s.Node.GetDropStmt().GetRemoveType() == pg_query.ObjectType_OBJECT_FOREIGN_SERVER
}
