package bind

import (
	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
)

// HomeText is the statement as the home database reads it: the names of managed objects in the form that
// home has them (`lake.sales.orders` → `"lake.sales".orders`), in references to columns too. It is the text
// to Parse and Describe a query with, and the one that runs for GRANT, CREATE VIEW and the like. An error is
// one for the client: a name that is neither home's nor a catalog's.
func HomeText(st *parse.Statement, snap *catalog.Snapshot) (*plan.Rewrite, error) {
	h := &homeNames{st: st, resolver: resolver{snap}, names: parse.Names(st)}
	return h.rewrite()
}

func (h *homeNames) rewrite() (*plan.Rewrite, error) {
	if err := h.unknown(h.st, h.names); err != nil {
		return nil, err
	}
	return splice(h.st.Text, h.edits()), nil
}

// homeNames finds the names of a statement that home does not read as they are written.
type homeNames struct {
	st    *parse.Statement
	names []parse.Name
	refs  []parse.ColumnRef // read once, when something managed is named
	resolver
}

func (h *homeNames) edits() []plan.Edit {
	var edits []plan.Edit
	managed := false
	for _, name := range h.names {
		if name.Kind != parse.RelationName {
			continue
		}
		m := h.relation(name)
		managed = managed || m.managed
		if m.unknown != "" && !name.Span.Empty() {
			m.managed, m.name = true, catalog.Name{Catalog: name.Parts[0], Schema: name.Parts[1], Table: name.Parts[2]}
		}
		if !name.Span.Empty() && m.managed && !readsAlike(name.Parts, m.name) {
			edits = append(edits, plan.Edit{Start: name.Span.Start, End: name.Span.End, Text: m.name.HomeString()})
		}
	}
	if !managed {
		return edits
	}
	h.refs = parse.ColumnRefs(h.st)
	for _, ref := range h.refs {
		if q, ok := h.qualifier(ref); ok && !readsAlike(q.parts, q.meaning.name) {
			edits = append(edits, plan.Edit{Start: q.span.Start, End: q.span.End, Text: q.meaning.name.HomeString()})
		}
	}
	return edits
}

// readsAlike tells whether home takes a name as it is written for the shadow.
func readsAlike(parts []string, name catalog.Name) bool {
	return len(parts) == 1 || (len(parts) == 2 && parts[0] == name.HomeSchema())
}

// qualifier is the part of a reference to a column that names its table with a schema.
type qualifier struct {
	parts   []string
	span    parse.Span
	meaning meaning
}

// qualifier finds what a reference to a column names its managed table by: lake.sales.orders of
// lake.sales.orders.id. A bare table name, or an alias, is none.
func (h *homeNames) qualifier(ref parse.ColumnRef) (qualifier, bool) {
	most := len(ref.Fields)
	if !ref.Star {
		most--
	}
	for count := min(most, 3); count >= 2; count-- {
		m := h.relation(parse.Name{Parts: ref.Fields[:count]})
		if !m.managed || m.rel == nil {
			continue
		}
		if _, span, ok := h.st.NameAt(ref.Offset, count); ok {
			return qualifier{parts: ref.Fields[:count], span: span, meaning: m}, true
		}
	}
	return qualifier{}, false
}
