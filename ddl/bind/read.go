package bind

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// Read says how a query over one managed relation is run: its rows are read from the external system,
// and the query runs at home over them.
type Read struct {
	Relation catalog.Relation
	Name     catalog.Name
	Catalog  catalog.Catalog
	// Columns are those that the query may use, in the table's order; never none, so that rows can be
	// counted.
	Columns []catalog.Column
	// Filters hold for every row that can be part of the answer. They may be ignored: the query has them
	// still.
	Filters []Filter
	// RowWise tells that the answer for some rows does not depend on the others, nor on their order, so that
	// batches of rows can be run one after another.
	RowWise bool
	// Home is the query over the shadow: to Parse and to Describe with.
	Home *plan.Rewrite

	st          *parse.Statement
	ownJobs     []string // those of the statement's own transaction, which has not committed
	occurrences []occurrence
	columnRefs  []parse.Span // qualifiers of columns that become the table's alias
}

// occurrence is one place of the relation in the query.
type occurrence struct {
	span    parse.Span
	command bool // TABLE t, the short form of SELECT * FROM t
	alias   bool // it has an alias of its own
}

// ReadPlan makes the plan of a SELECT of exactly one managed relation. Errors are for the client, with
// positions in the whole text. ownJobs are the jobs of the statement's own transaction.
func ReadPlan(st *parse.Statement, snap *catalog.Snapshot, ownJobs []string) (*Read, error) {
	h := &homeNames{st: st, resolver: resolver{snap}, names: parse.Names(st)}
	home, err := h.rewrite()
	if err != nil {
		return nil, err
	}
	if st.Node.GetSelectStmt() == nil {
		return nil, ErrNotManaged
	}
	r := &Read{st: st, Home: home, ownJobs: ownJobs}
	names, err := r.relation(h)
	if err != nil {
		return nil, err
	}
	ranges, err := r.places(names)
	if err != nil {
		return nil, err
	}
	for _, ref := range h.refs {
		if q, ok := h.qualifier(ref); ok && q.meaning.name == r.Name {
			r.columnRefs = append(r.columnRefs, q.span)
		}
	}
	r.Columns = neededColumns(st, r.Relation.Table.Columns, ranges, h.refs)
	if single := singleRange(st.Node.GetSelectStmt()); single != nil && len(ranges) == 1 && single == ranges[0] {
		r.Filters = filters(st.Node.GetSelectStmt(), single, r.Relation.Table.Columns)
		r.RowWise = rowWise(st.Node.GetSelectStmt())
	}
	return r, nil
}

// relation finds the one managed relation, and its names in the query.
func (r *Read) relation(h *homeNames) ([]parse.Name, error) {
	var names []parse.Name
	for _, name := range h.names {
		if name.Kind != parse.RelationName {
			continue
		}
		m := h.relation(name)
		if !m.managed {
			continue
		}
		position := r.st.Position(name.Span.Start)
		switch {
		case m.rel == nil || !m.rel.Managed:
			return nil, sqlerr.New(sqlerr.UndefinedTable, `relation "%s" does not exist`, joined(name.Parts)).At(position)
		case len(names) > 0 && m.name != r.Name:
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "a query that names more than one managed table is not supported").
				WithDetail(`It names "%s" and "%s".`, r.Name, m.name).At(position)
		}
		if err := withRows(m.rel, m.name.String(), r.ownJobs); err != nil {
			return nil, err.At(position)
		}
		r.Relation, r.Name, r.Catalog = *m.rel, m.name, m.catalog
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil, ErrNotManaged
	}
	return names, nil
}

// places finds what is to be replaced: the name with an ONLY before it or a star behind it.
func (r *Read) places(names []parse.Name) ([]*pg_query.RangeVar, error) {
	var ranges []*pg_query.RangeVar
	sampled := false
	parse.Walk(r.st.Node, func(message any) bool {
		switch m := message.(type) {
		case *pg_query.RangeTableSample:
			at := int(m.GetRelation().GetRangeVar().GetLocation())
			sampled = sampled || slices.ContainsFunc(names, func(n parse.Name) bool { return n.Span.Start == at })
		case *pg_query.RangeVar:
			for _, name := range names {
				if name.Span.Start == int(m.GetLocation()) {
					ranges = append(ranges, m)
					r.occurrences = append(r.occurrences, r.occurrence(name, m))
				}
			}
		}
		return true
	})
	if sampled {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "TABLESAMPLE is not supported on managed tables").
			At(r.st.Position(names[0].Span.Start))
	}
	if len(ranges) != len(names) {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "the query names a managed table in a way that is not supported").
			At(r.st.Position(names[0].Span.Start))
	}
	return ranges, nil
}

func (r *Read) occurrence(name parse.Name, rv *pg_query.RangeVar) occurrence {
	o := occurrence{span: name.Span, alias: rv.GetAlias() != nil}
	first := r.st.TokenAt(name.Span.Start)
	last := first + 2*len(name.Parts) - 2
	tokens := r.st.Tokens()
	if !rv.GetInh() && first > 0 {
		if r.st.Symbol(first-1) == '(' && r.st.Symbol(last+1) == ')' {
			first, last = first-1, last+1
		}
		if r.st.Word(first-1) == "only" {
			first--
		}
	}
	if r.st.Symbol(last+1) == '*' {
		last++
	}
	if first > 0 && r.st.Word(first-1) == "table" {
		first--
		o.command = true
	}
	o.span = parse.Span{Start: tokens[first].Start, End: tokens[last].End}
	return o
}

// Query is the query with the relation replaced by source: a subquery in parentheses or a table's name,
// which has the columns of r.Columns under their names.
func (r *Read) Query(source string) *plan.Rewrite {
	alias := catalog.QuoteIdent(r.Name.Table)
	edits := make([]plan.Edit, 0, len(r.occurrences)+len(r.columnRefs))
	for _, o := range r.occurrences {
		text := source
		if o.command {
			text = "SELECT * FROM " + text
		}
		if !o.alias {
			text += " AS " + alias
		}
		edits = append(edits, plan.Edit{Start: o.span.Start, End: o.span.End, Text: text})
	}
	for _, span := range r.columnRefs {
		edits = append(edits, plan.Edit{Start: span.Start, End: span.End, Text: alias})
	}
	return splice(r.st.Text, edits)
}

// neededColumns are the columns that a query may use. It errs towards too many: a name is enough, whatever
// it is qualified with.
func neededColumns(
	st *parse.Statement, all []catalog.Column, ranges []*pg_query.RangeVar, refs []parse.ColumnRef,
) []catalog.Column {
	used := map[string]bool{}
	for _, ref := range refs {
		if ref.Star || len(ref.Fields) == 0 {
			return all
		}
		used[ref.Fields[len(ref.Fields)-1]] = true
	}
	for _, rv := range ranges {
		name := rv.GetRelname()
		if alias := rv.GetAlias(); alias != nil {
			name = alias.GetAliasname()
			if len(alias.GetColnames()) > 0 {
				return all
			}
		}
		if used[name] {
			return all // the whole row
		}
	}
	if joinsByName(st, used) {
		return all
	}
	var needed []catalog.Column
	for _, column := range all {
		if used[column.Name] {
			needed = append(needed, column)
		}
	}
	if len(needed) == 0 && len(all) > 0 {
		return []catalog.Column{cheapest(all)}
	}
	return needed
}

// joinsByName adds the columns of USING, and tells whether there is a NATURAL join, or TABLE t.
func joinsByName(st *parse.Statement, used map[string]bool) bool {
	natural := false
	parse.Walk(st.Node, func(message any) bool {
		if join, ok := message.(*pg_query.JoinExpr); ok {
			natural = natural || join.GetIsNatural()
			for _, column := range join.GetUsingClause() {
				used[column.GetString_().GetSval()] = true
			}
		}
		return true
	})
	return natural
}

// cheapest is the column to read when only the number of rows matters.
func cheapest(all []catalog.Column) catalog.Column {
	i := slices.IndexFunc(all, func(c catalog.Column) bool { return c.NotNull })
	return all[max(i, 0)]
}

// singleRange is the only item of a plain FROM, nil for anything else.
func singleRange(sel *pg_query.SelectStmt) *pg_query.RangeVar {
	if len(sel.GetFromClause()) != 1 || sel.GetOp() != pg_query.SetOperation_SETOP_NONE {
		return nil
	}
	return sel.GetFromClause()[0].GetRangeVar()
}
