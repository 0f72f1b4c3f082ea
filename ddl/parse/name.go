package parse

import pg_query "github.com/pganalyze/pg_query_go/v6"

// NameKind is the kind of object that a name means.
type NameKind uint8

// The kinds of name.
const (
	RelationName NameKind = iota + 1 // a table, view, index, sequence
	SchemaName
	CatalogName // a catalog, which is a foreign server at home
)

// Role tells what the statement does with what it names.
type Role uint8

// The roles.
const (
	Target     Role = iota + 1 // makes, changes, drops, writes it
	Read                       // reads it in a query
	References                 // a foreign key or sequence owner refers to it
	Parent                     // inherits from it, or is a partition of it
	Like                       // copies its definition
	Granted                    // rights on it are given or taken
)

// Name is one name of an object in a statement.
type Name struct {
	Parts []string // one to three, uncut where the statement's tokens show them
	Kind  NameKind
	Role  Role
	// New tells that the statement makes the object, so that a bare name means the first schema of the
	// search path; Temporary, that it makes it among the session's temporary objects.
	New       bool
	Temporary bool
	// Span is where the name stands in the statement's Text; empty when it cannot be told.
	Span Span
}

// Last is the object's own name.
func (n Name) Last() string {
	if len(n.Parts) == 0 {
		return ""
	}
	return n.Parts[len(n.Parts)-1]
}

// rangeVarParts are the parts that a RangeVar has.
func rangeVarParts(rv *pg_query.RangeVar) []string {
	parts := make([]string, 0, 3)
	for _, part := range [...]string{rv.GetCatalogname(), rv.GetSchemaname(), rv.GetRelname()} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// nameAt reads the dotted name of count parts that starts at a byte offset of the text.
func (s *Statement) nameAt(offset, count int) ([]string, Span, bool) {
	i := s.TokenAt(offset)
	if i < 0 {
		return nil, Span{}, false
	}
	return s.nameAtToken(i, count)
}

func (s *Statement) nameAtToken(i, count int) ([]string, Span, bool) {
	parts := make([]string, 0, count)
	span := Span{Start: s.tokens[i].Start}
	for {
		part, ok := s.Ident(i)
		if !ok {
			return nil, Span{}, false
		}
		parts = append(parts, part)
		span.End = s.tokens[i].End
		if len(parts) == count {
			return parts, span, true
		}
		if s.Symbol(i+1) != '.' {
			return nil, Span{}, false
		}
		i += 2
	}
}

// findName looks for a dotted name among the tokens from index from on, for the lists of strings in
// PostgreSQL's tree that have no location. tail is the number of further parts that follow the name.
// It returns the index behind it.
func (s *Statement) findName(parts []string, tail, from int) (uncut []string, span Span, next int) {
	for i := from; i < len(s.tokens); i++ {
		if i > 0 && s.Symbol(i-1) == '.' {
			continue
		}
		found, span, ok := s.nameAtToken(i, len(parts))
		if !ok || !sameParts(found, parts) {
			continue
		}
		next := i + 2*len(parts) - 1
		if follows := s.Symbol(next) == '.'; follows != (tail > 0) {
			continue
		}
		return found, span, next
	}
	return parts, Span{}, from
}

// sameParts compares names of tokens with names of the tree, which are cut.
func sameParts(uncut, parts []string) bool {
	for i, part := range parts {
		if cutIdent(uncut[i]) != part {
			return false
		}
	}
	return true
}

// stringParts reads a List of Strings, or one String.
func stringParts(node *pg_query.Node) []string {
	if s := node.GetString_(); s != nil {
		return []string{s.GetSval()}
	}
	items := node.GetList().GetItems()
	parts := make([]string, 0, len(items))
	for _, item := range items {
		s := item.GetString_()
		if s == nil {
			return nil
		}
		parts = append(parts, s.GetSval())
	}
	return parts
}
