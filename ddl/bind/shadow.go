package bind

import (
	"slices"
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
)

// shadowStatements lead the shadow of a table from one definition to another. Foreign keys and options
// are the registry's.
func shadowStatements(name catalog.Name, from, to catalog.Table) []string {
	s := &shadowDiff{head: "ALTER TABLE " + name.HomeString() + " ", relation: name.HomeString(), from: from, to: to}
	s.dropConstraints()
	if retyped(from, to) {
		// Types change with USING, which does not reach the wall.
		s.list = append(s.list, wallStatement("unwall", name))
		s.columns()
		s.list = append(s.list, wallStatement("rewall", name))
	} else {
		s.columns()
	}
	s.addConstraints()
	if from.Comment != to.Comment {
		s.list = append(s.list, "COMMENT ON TABLE "+s.relation+" IS "+literal(to.Comment))
	}
	return s.list
}

// retyped tells whether a column has another type.
func retyped(from, to catalog.Table) bool {
	for _, t := range to.Columns {
		if i := columnIndex(from, t.Name); i >= 0 && from.Columns[i].Type != t.Type {
			return true
		}
	}
	return false
}

// wallStatement calls one of the functions that take a shadow's wall away or give it back.
func wallStatement(function string, name catalog.Name) string {
	return "SELECT tablewright." + function + "(" + strings.TrimSpace(catalog.QuoteLiteral(name.HomeString())) + "::regclass)"
}

type shadowDiff struct {
	head, relation string
	from, to       catalog.Table
	list           []string
}

func (s *shadowDiff) alter(command string) { s.list = append(s.list, s.head+command) }

// literal is a comment's text, or NULL for none.
func literal(text string) string {
	if text == "" {
		return "NULL"
	}
	return catalog.QuoteLiteral(text)
}

func (s *shadowDiff) dropConstraints() {
	if len(s.from.PrimaryKey) > 0 && !slices.Equal(s.from.PrimaryKey, s.to.PrimaryKey) {
		s.alter("DROP CONSTRAINT " + catalog.QuoteIdent(s.from.KeyName))
	}
	for _, c := range s.from.Constraints {
		if c.Kind != catalog.ForeignKey && !slices.Contains(s.to.Constraints, c) {
			s.alter("DROP CONSTRAINT IF EXISTS " + catalog.QuoteIdent(c.Name))
		}
	}
}

func (s *shadowDiff) columns() {
	for _, f := range s.from.Columns {
		if columnIndex(s.to, f.Name) < 0 {
			s.alter("DROP COLUMN " + catalog.QuoteIdent(f.Name))
		}
	}
	for _, t := range s.to.Columns {
		if i := columnIndex(s.from, t.Name); i >= 0 {
			s.column(s.from.Columns[i], t)
			continue
		}
		s.alter("ADD COLUMN " + columnText(t))
		s.comment(catalog.Column{Name: t.Name}, t)
	}
}

func columnText(c catalog.Column) string {
	text := catalog.QuoteIdent(c.Name) + " " + c.Type
	if c.Default != "" {
		text += " DEFAULT " + c.Default
	}
	if c.Identity != "" {
		text += " GENERATED " + c.Identity + " AS IDENTITY"
	}
	if c.NotNull {
		text += " NOT NULL"
	}
	return text
}

func (s *shadowDiff) column(f, t catalog.Column) {
	alter := "ALTER COLUMN " + catalog.QuoteIdent(t.Name) + " "
	retyped := f.Type != t.Type
	if f.Default != "" && (retyped || t.Default == "") {
		s.alter(alter + "DROP DEFAULT")
	}
	if retyped {
		// The shadow has no rows: any type becomes any other.
		s.alter(alter + "TYPE " + t.Type + " USING NULL")
	}
	if t.Default != "" && (retyped || f.Default != t.Default) {
		s.alter(alter + "SET DEFAULT " + t.Default)
	}
	if f.Identity != "" && f.Identity != t.Identity {
		s.alter(alter + "DROP IDENTITY")
	}
	if f.NotNull != t.NotNull {
		s.alter(alter + map[bool]string{true: "SET NOT NULL", false: "DROP NOT NULL"}[t.NotNull])
	}
	if t.Identity != "" && f.Identity != t.Identity {
		s.alter(alter + "ADD GENERATED " + t.Identity + " AS IDENTITY")
	}
	s.comment(f, t)
}

func (s *shadowDiff) comment(f, t catalog.Column) {
	if f.Comment != t.Comment {
		s.list = append(s.list, "COMMENT ON COLUMN "+s.relation+"."+catalog.QuoteIdent(t.Name)+" IS "+literal(t.Comment))
	}
}

func (s *shadowDiff) addConstraints() {
	if len(s.to.PrimaryKey) > 0 && !slices.Equal(s.from.PrimaryKey, s.to.PrimaryKey) {
		s.alter("ADD CONSTRAINT " + catalog.QuoteIdent(s.to.KeyName) + " PRIMARY KEY " + identList(s.to.PrimaryKey))
	}
	for _, c := range s.to.Constraints {
		if c.Kind == catalog.ForeignKey || slices.Contains(s.from.Constraints, c) {
			continue
		}
		add := "ADD "
		if c.Name != "" {
			add += "CONSTRAINT " + catalog.QuoteIdent(c.Name) + " "
		}
		s.alter(add + c.Definition)
	}
}
