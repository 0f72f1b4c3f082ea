package bind

import (
	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// Views are the views of the home database that a query reads.
func Views(st *parse.Statement, snap *catalog.Snapshot) []catalog.Relation {
	if st.Node.GetSelectStmt() == nil {
		return nil
	}
	seen := map[uint32]bool{}
	var views []catalog.Relation
	for _, v := range viewNames(st, snap) {
		if !seen[v.rel.OID] {
			seen[v.rel.OID] = true
			views = append(views, v.rel)
		}
	}
	return views
}

// ReadsManaged tells whether a query reads a managed table by its name.
func ReadsManaged(st *parse.Statement, snap *catalog.Snapshot) bool {
	managed := Managed(snap)
	for _, name := range parse.Names(st) {
		if name.Kind == parse.RelationName && managed(name) != "" {
			return true
		}
	}
	return false
}

type viewName struct {
	name parse.Name
	rel  catalog.Relation
}

func viewNames(st *parse.Statement, snap *catalog.Snapshot) []viewName {
	var found []viewName
	r := resolver{snap}
	for _, name := range parse.Names(st) {
		if name.Kind != parse.RelationName || name.Role != parse.Read || name.Span.Empty() {
			continue
		}
		if m := r.relation(name); m.rel != nil && m.rel.Kind == 'v' && !m.rel.Managed {
			found = append(found, viewName{name, *m.rel})
		}
	}
	return found
}

// Expand is a query with views replaced by what they are: definitions holds a query for each of them, by OID. Its
// positions are those of the query itself.
func Expand(st *parse.Statement, snap *catalog.Snapshot, definitions map[uint32]string) (*parse.Statement, error) {
	var edits []plan.Edit
	for _, v := range viewNames(st, snap) {
		definition, ok := definitions[v.rel.OID]
		if !ok {
			continue
		}
		r := &Read{st: st}
		if _, err := r.places([]parse.Name{v.name}); err != nil {
			return nil, err
		}
		o := r.occurrences[0]
		text := "(" + definition + "\n)"
		if o.command {
			text = "SELECT * FROM " + text
		}
		if !o.alias {
			text += " AS " + catalog.QuoteIdent(v.rel.HomeName)
		}
		edits = append(edits, plan.Edit{Start: o.span.Start, End: o.span.End, Text: text})
	}
	edits = append(edits, viewQualifiers(st, snap, definitions)...)
	expanded, err := st.Rewritten(splice(st.Text, edits))
	if err != nil {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "the query over a view of an external table cannot be written out").
			WithCause(err).At(st.Position(0))
	}
	return expanded, nil
}

// viewQualifiers are the references to columns that name a view with its schema: public.v.id.
func viewQualifiers(st *parse.Statement, snap *catalog.Snapshot, definitions map[uint32]string) []plan.Edit {
	var edits []plan.Edit
	r := resolver{snap}
	for _, ref := range parse.ColumnRefs(st) {
		count := len(ref.Fields)
		if !ref.Star {
			count--
		}
		if count < 2 {
			continue
		}
		m := r.relation(parse.Name{Parts: ref.Fields[:count]})
		if m.rel == nil {
			continue
		}
		if _, ok := definitions[m.rel.OID]; !ok {
			continue
		}
		if _, span, ok := st.NameAt(ref.Offset, count); ok {
			edits = append(edits, plan.Edit{Start: span.Start, End: span.End, Text: catalog.QuoteIdent(m.rel.HomeName)})
		}
	}
	return edits
}
