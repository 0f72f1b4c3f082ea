package parse

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"
)

// OptionVerb says what is done to one option of a catalog.
type OptionVerb string

// The verbs. PutOption is ALTER CATALOG's SET, which does not ask whether the option is there; the others of
// ALTER SERVER do.
const (
	PutOption  OptionVerb = "PUT"
	AddOption  OptionVerb = "ADD"
	SetOption  OptionVerb = "SET"
	DropOption OptionVerb = "DROP" // an option that must be there
	Unset      OptionVerb = "RESET"
)

// OptionChange is one change of an option of a catalog.
type OptionChange struct {
	Verb OptionVerb
	Option
}

// AlterCatalog is ALTER CATALOG, or ALTER SERVER, of which only the name tells whether it is ours.
type AlterCatalog struct {
	Spelling string // CATALOG or SERVER
	Name     Ident
	Changes  []OptionChange
	RenameTo *Ident
	Version  Span // of ALTER SERVER … VERSION '…', which no catalog has
}

// Tag is the command tag of the spelling used.
func (s *AlterCatalog) Tag() string { return "ALTER " + s.Spelling }

// RefreshCatalog is REFRESH CATALOG n.
type RefreshCatalog struct{ Name Ident }

// Tag is the command tag.
func (*RefreshCatalog) Tag() string { return "REFRESH CATALOG" }

// alterCatalog reads what follows ALTER CATALOG.
func (c *cursor) alterCatalog() (Extension, error) {
	st := &AlterCatalog{Spelling: "CATALOG"}
	var err error
	if st.Name, err = c.ident(); err != nil {
		return nil, err
	}
	switch {
	case c.take("set"):
		options, _, _, err := c.optionList()
		if err != nil {
			return nil, err
		}
		for _, o := range options {
			st.Changes = append(st.Changes, OptionChange{PutOption, o})
		}
	case c.take("reset"):
		if st.Changes, err = c.resetList(); err != nil {
			return nil, err
		}
	case c.take("rename"):
		if !c.take("to") {
			return nil, c.unexpected()
		}
		name, err := c.ident()
		if err != nil {
			return nil, err
		}
		st.RenameTo = &name
	default:
		return nil, c.unexpected().withNear(c.st.Word(c.at), "set", "reset", "rename")
	}
	return st, c.end()
}

// resetList reads `( key, … )`.
func (c *cursor) resetList() ([]OptionChange, error) {
	if err := c.demandSymbol('('); err != nil {
		return nil, err
	}
	var changes []OptionChange
	for {
		change := OptionChange{Verb: Unset}
		if key, err := c.str(); err == nil {
			change.Key, change.KeySpan = key.Value, key.Span
		} else if _, err := c.optionKey(&change.Option); err != nil {
			return nil, err
		}
		if len(changes) == OptionsMax {
			return nil, &syntaxError{offset: change.KeySpan.Start, code: "54000", message: "too many options"}
		}
		changes = append(changes, change)
		if !c.takeSymbol(',') {
			return changes, c.demandSymbol(')')
		}
	}
}

// refreshCatalog reads what follows REFRESH CATALOG.
func (c *cursor) refreshCatalog() (Extension, error) {
	name, err := c.ident()
	if err != nil {
		return nil, err
	}
	return &RefreshCatalog{Name: name}, c.end()
}

// AlterCatalog reads an ALTER SERVER, which PostgreSQL's parser has read, as one of a catalog; nil when the
// statement is another one.
func (s *Statement) AlterCatalog() *AlterCatalog {
	if ext, ok := s.Extension.(*AlterCatalog); ok {
		return ext
	}
	node, rename := s.Node.GetAlterForeignServerStmt(), s.Node.GetRenameStmt()
	c := &cursor{st: s}
	if node == nil && rename.GetRenameType() != pg_query.ObjectType_OBJECT_FOREIGN_SERVER || !c.take("alter", "server") {
		return nil
	}
	st := &AlterCatalog{Spelling: "SERVER"}
	name, ok := c.label()
	if !ok {
		return nil
	}
	st.Name = name
	if node == nil {
		if c.take("rename", "to") {
			if to, ok := c.label(); ok {
				st.RenameTo = &to
			}
		}
		return st
	}
	if node.GetHasVersion() && c.more() {
		st.Version = Span{Start: c.offset(), End: len(s.Text)}
	}
	for _, option := range node.GetOptions() {
		elem := option.GetDefElem()
		st.Changes = append(st.Changes, OptionChange{verbOf(elem.GetDefaction()), s.alteredOption(elem)})
	}
	return st
}

func verbOf(action pg_query.DefElemAction) OptionVerb {
	switch action {
	case pg_query.DefElemAction_DEFELEM_SET:
		return SetOption
	case pg_query.DefElemAction_DEFELEM_DROP:
		return DropOption
	default:
		return AddOption
	}
}

// alteredOption is one element of OPTIONS (ADD k 'v', SET k 'v', DROP k), whose location may be that of its
// verb.
func (s *Statement) alteredOption(elem *pg_query.DefElem) Option {
	o := s.genericOption(elem)
	i := s.TokenAt(int(elem.GetLocation()))
	if i < 0 {
		return o
	}
	if word := s.Word(i); word == "add" || word == "set" || word == "drop" {
		if key, ok := s.Ident(i + 1); ok && strings.EqualFold(key, elem.GetDefname()) {
			i++
		}
	}
	o.KeySpan = Span{Start: s.tokens[i].Start, End: s.tokens[i].End}
	o.ValueSpan = Span{}
	if o.Value != "" || elem.GetArg() != nil {
		if s.isValue(i + 1) {
			o.ValueSpan = Span{Start: s.tokens[i+1].Start, End: s.tokens[i+1].End}
		}
	}
	return o
}
