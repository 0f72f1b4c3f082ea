package bind

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// columnsMax is PostgreSQL's limit of columns of a table.
const columnsMax = 1600

// elements reads the columns, constraints and LIKE clauses of the table in their order.
func (t *tableBuilder) elements() error {
	places := t.elementSpans()
	var cut []int
	for i, node := range t.stmt.GetTableElts() {
		var span parse.Span
		if i < len(places) {
			span = places[i]
		}
		if err := t.element(node, span); err != nil {
			return err
		}
		if node.GetConstraint().GetContype() == pg_query.ConstrType_CONSTR_FOREIGN {
			cut = append(cut, i)
		}
	}
	t.cutElements(cut, places)
	if len(t.table.Columns) > columnsMax {
		return sqlerr.New(sqlerr.TooManyColumns, "tables can have at most %d columns", columnsMax).At(t.position)
	}
	for _, key := range t.table.PrimaryKey {
		t.setNotNull(key)
	}
	return nil
}

func (t *tableBuilder) element(node *pg_query.Node, span parse.Span) error {
	switch {
	case node.GetColumnDef() != nil:
		return t.column(node.GetColumnDef(), span)
	case node.GetTableLikeClause() != nil:
		return t.like(node.GetTableLikeClause())
	case node.GetConstraint() != nil:
		return t.tableConstraint(node.GetConstraint())
	default:
		return t.unsupported("this element of a table", t.st.Position(span.Start))
	}
}

// elementSpans are the places of the elements between the parentheses behind the table's name.
func (t *tableBuilder) elementSpans() []parse.Span {
	tokens := t.st.Tokens()
	open := -1
	for i := range tokens {
		if t.st.Symbol(i) == '(' {
			open = i
			break
		}
	}
	if open < 0 {
		return nil
	}
	var spans []parse.Span
	start, depth := open+1, 0
	for i := open; i < len(tokens); i++ {
		symbol := t.st.Symbol(i)
		if symbol == '(' || symbol == '[' {
			depth++
		}
		if symbol == ')' || symbol == ']' {
			depth--
		}
		if (symbol == ',' && depth == 1) || depth == 0 {
			if i > start {
				spans = append(spans, parse.Span{Start: tokens[start].Start, End: tokens[i-1].End})
			}
			start = i + 1
		}
		if depth == 0 {
			break
		}
	}
	return spans
}

// cutElements removes elements, neighbours together, each run with one of the commas around it.
func (t *tableBuilder) cutElements(cut []int, places []parse.Span) {
	for at := 0; at < len(cut); at++ {
		first := cut[at]
		for at+1 < len(cut) && cut[at+1] == cut[at]+1 {
			at++
		}
		last := cut[at]
		if last >= len(places) {
			return
		}
		edit := plan.Edit{Start: places[first].Start, End: places[last].End}
		switch {
		case first > 0:
			edit.Start = places[first-1].End
		case last+1 < len(places):
			edit.End = places[last+1].Start
		}
		t.edits = append(t.edits, edit)
	}
}

func (t *tableBuilder) addColumn(column catalog.Column, place columnPlace) error {
	if _, twice := t.columns[column.Name]; twice {
		return sqlerr.New(sqlerr.DuplicateColumn, `column "%s" specified more than once`, column.Name).At(place.name)
	}
	t.columns[column.Name] = place
	t.table.Columns = append(t.table.Columns, column)
	return nil
}

func (t *tableBuilder) setNotNull(column string) {
	for i := range t.table.Columns {
		if t.table.Columns[i].Name == column {
			t.table.Columns[i].NotNull = true
		}
	}
}

// The options of LIKE, as bits (parsenodes.h).
const (
	likeComments = 1 << iota
	likeCompression
	likeConstraints
	likeDefaults
	likeGenerated
	likeIdentity
	likeIndexes
	likeStatistics
	likeStorage

	likeAll = 0x7FFFFFFF
)

// like copies the definition of another table, of the home database or a catalog; home copies it into the
// shadow by itself.
func (t *tableBuilder) like(clause *pg_query.TableLikeClause) error {
	name, m, err := t.referenced(clause.GetRelation(), parse.Like)
	if err != nil {
		return err
	}
	options := clause.GetOptions()
	if options&likeAll != likeAll && options&(likeCompression|likeStatistics|likeStorage) != 0 {
		return t.unsupported("LIKE … INCLUDING COMPRESSION, STATISTICS or STORAGE", t.position)
	}
	if m.managed {
		t.edits = append(t.edits, spliceHome(tableTarget{m, name}))
	}
	place := columnPlace{name: t.st.Position(name.Span.Start), typ: t.st.Position(name.Span.Start)}
	source := m.rel.Table
	for _, column := range source.Columns {
		if err := t.addColumn(likeColumn(column, options), place); err != nil {
			return err
		}
	}
	if options&likeIndexes != 0 && len(source.PrimaryKey) > 0 {
		if err := t.setKey("", source.PrimaryKey, place.name); err != nil {
			return err
		}
	}
	for _, constraint := range source.Constraints {
		copied := (constraint.Kind == catalog.Check && options&likeConstraints != 0) ||
			(constraint.Kind == catalog.Unique && options&likeIndexes != 0)
		if copied {
			t.addConstraint(constraint, place.name)
		}
	}
	return nil
}

// likeColumn is a column as LIKE copies it: name, type and NOT NULL always, the rest when included.
func likeColumn(column catalog.Column, options uint32) catalog.Column {
	if options&likeDefaults == 0 {
		column.Default = ""
	}
	if options&likeIdentity == 0 {
		column.Identity = ""
	}
	if options&likeComments == 0 {
		column.Comment = ""
	}
	return column
}

// referenced resolves a relation that the definition refers to, which must exist.
func (t *tableBuilder) referenced(rv *pg_query.RangeVar, role parse.Role) (parse.Name, meaning, error) {
	for _, name := range t.names {
		if name.Role != role || name.Span.Start != int(rv.GetLocation()) {
			continue
		}
		m := t.relation(name)
		if m.managed {
			if err := t.checkName(m.catalog, m.name, t.position); err != nil {
				return name, m, err
			}
		}
		if m.rel == nil && !t.isSelf(name, m) {
			return name, m, sqlerr.New(sqlerr.UndefinedTable, `relation "%s" does not exist`, joined(name.Parts)).
				At(t.st.Position(name.Span.Start))
		}
		return name, m, nil
	}
	return parse.Name{}, meaning{}, sqlerr.New(sqlerr.UndefinedTable, `relation "%s" does not exist`, rv.GetRelname()).
		At(t.st.Position(int(rv.GetLocation())))
}

// isSelf tells whether a name means the table that is being made.
func (t *tableBuilder) isSelf(name parse.Name, m meaning) bool {
	if len(name.Parts) == 1 {
		return t.bare && name.Parts[0] == t.target.name.Table
	}
	return m.managed && m.name == t.target.name
}
