package parse

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v6"
)

// Names are the relations, schemas and catalogs that a statement mentions, in subqueries and bodies of
// views too; names of CTEs are not among them. An unreadable statement has none.
func Names(s *Statement) []Name {
	switch ext := s.Extension.(type) {
	case *CreateCatalog:
		return []Name{identName(ext.Name, CatalogName)}
	case *DropCatalog:
		return identNames(ext.Names, CatalogName)
	case *AlterCatalog:
		return alterCatalogNames(ext)
	case *RefreshCatalog:
		return []Name{identName(ext.Name, CatalogName)}
	case *MaterializedView:
		return []Name{qualifiedName(ext.Name, RelationName)}
	case *Trigger:
		return triggerNames(ext)
	case *CreateSchema:
		return []Name{qualifiedName(ext.Name, SchemaName)}
	case *DropSchema:
		names := make([]Name, len(ext.Names))
		for i, name := range ext.Names {
			names[i] = qualifiedName(name, SchemaName)
		}
		return names
	case *ShowObjects:
		return showNames(ext)
	case *Describe:
		return []Name{readName(ext.Name, RelationName)}
	case *ShowCreate:
		if ext.Kind == "CATALOG" {
			return []Name{readName(ext.Name, CatalogName)}
		}
		return []Name{readName(ext.Name, RelationName)}
	case *Explain:
		return explainNames(s, ext)
	}
	if s.Node == nil {
		return nil
	}
	w := &nameWalk{st: s, from: 1}
	w.node(s.Node, walkState{role: Target})
	return w.names
}

func identName(ident Ident, kind NameKind) Name {
	return Name{Parts: []string{ident.Value}, Kind: kind, Role: Target, Span: ident.Span}
}

func identNames(idents []Ident, kind NameKind) []Name {
	names := make([]Name, len(idents))
	for i, ident := range idents {
		names[i] = identName(ident, kind)
	}
	return names
}

func qualifiedName(q QualifiedName, kind NameKind) Name {
	return Name{Parts: q.Strings(), Kind: kind, Role: Target, Span: q.Span()}
}

func readName(q QualifiedName, kind NameKind) Name {
	return Name{Parts: q.Strings(), Kind: kind, Role: Read, Span: q.Span()}
}

func showNames(ext *ShowObjects) []Name {
	if len(ext.From) == 0 {
		return nil
	}
	kind := SchemaName
	if ext.Objects == Schemas {
		kind = CatalogName
	}
	return []Name{readName(ext.From, kind)}
}

func alterCatalogNames(ext *AlterCatalog) []Name {
	names := []Name{identName(ext.Name, CatalogName)}
	if ext.RenameTo != nil {
		to := identName(*ext.RenameTo, CatalogName)
		to.New = true
		names = append(names, to)
	}
	return names
}

func triggerNames(ext *Trigger) []Name {
	if len(ext.Table) == 0 {
		return nil
	}
	return []Name{qualifiedName(ext.Table, RelationName)}
}

func explainNames(s *Statement, ext *Explain) []Name {
	names := Names(ext.Inner)
	shift := ext.Inner.Offset - s.Offset
	for i := range names {
		if !names[i].Span.Empty() {
			names[i].Span.Start += shift
			names[i].Span.End += shift
		}
	}
	return names
}

// scope is the CTE names that are visible, innermost first.
type scope struct {
	names []string
	outer *scope
}

func (s *scope) has(name string) bool {
	for ; s != nil; s = s.outer {
		if slices.Contains(s.names, name) {
			return true
		}
	}
	return false
}

// walkState is what a part of the tree inherits from what it stands in.
type walkState struct {
	role Role
	ctes *scope
}

// nameWalk collects names. Parts of the tree without a case of their own are walked by reflection, so
// that no RangeVar is ever missed.
type nameWalk struct {
	st    *Statement
	names []Name
	from  int // token from which names without a location are looked for
}

func (w *nameWalk) node(node *pg_query.Node, state walkState) { w.children(node, state) }

func (w *nameWalk) nodes(nodes []*pg_query.Node, state walkState) {
	for _, n := range nodes {
		w.node(n, state)
	}
}

// message walks one message of any kind.
func (w *nameWalk) message(message any, state walkState) {
	if w.query(message, state) || w.utility(message, state) {
		return
	}
	w.children(message, state)
}

func (w *nameWalk) children(message any, state walkState) {
	children(message, func(child any) { w.message(child, state) })
}

// query walks the statements that have CTEs.
func (w *nameWalk) query(message any, state walkState) bool {
	switch m := message.(type) {
	case *pg_query.SelectStmt:
		state = w.with(m.GetWithClause(), state)
		state.role = Read
		w.made(m.GetIntoClause().GetRel())
		w.children(m, state)
	case *pg_query.InsertStmt:
		w.change(m.GetRelation(), m.GetWithClause(), m, state)
	case *pg_query.UpdateStmt:
		w.change(m.GetRelation(), m.GetWithClause(), m, state)
	case *pg_query.DeleteStmt:
		w.change(m.GetRelation(), m.GetWithClause(), m, state)
	case *pg_query.MergeStmt:
		w.change(m.GetRelation(), m.GetWithClause(), m, state)
	case *pg_query.WithClause:
		// Walked by those that have it.
	case *pg_query.IntoClause:
		if state.role != Read {
			w.made(m.GetRel())
		}
	case *pg_query.RangeVar:
		w.relation(m, state)
	case *pg_query.ColumnRef, *pg_query.A_Const, *pg_query.ParamRef, *pg_query.TypeName, *pg_query.String,
		*pg_query.Alias:
		// Frequent, and without names of relations.
	default:
		return false
	}
	return true
}

// change walks a statement that writes a relation. Its target is never a CTE.
func (w *nameWalk) change(target *pg_query.RangeVar, with *pg_query.WithClause, m any, state walkState) {
	w.relation(target, walkState{role: Target})
	state = w.with(with, state)
	state.role = Read
	children(m, func(child any) {
		if child != any(target) {
			w.message(child, state)
		}
	})
}

// with walks a WITH clause and returns the state of what stands under it. Without RECURSIVE a CTE sees
// those before it, with RECURSIVE all of them.
func (w *nameWalk) with(clause *pg_query.WithClause, state walkState) walkState {
	if clause == nil {
		return state
	}
	inner := &scope{outer: state.ctes}
	if clause.GetRecursive() {
		for _, cte := range clause.GetCtes() {
			inner.names = append(inner.names, cte.GetCommonTableExpr().GetCtename())
		}
	}
	state = walkState{role: Read, ctes: inner}
	for _, cte := range clause.GetCtes() {
		expr := cte.GetCommonTableExpr()
		w.node(expr.GetCtequery(), state)
		if !clause.GetRecursive() {
			inner.names = append(inner.names, expr.GetCtename())
		}
	}
	return state
}

// made adds a relation that the statement makes.
func (w *nameWalk) made(rv *pg_query.RangeVar) {
	before := len(w.names)
	w.relation(rv, walkState{role: Target})
	for i := before; i < len(w.names); i++ {
		w.names[i].New = true
		w.names[i].Temporary = rv.GetRelpersistence() == "t"
	}
}

// relation adds a RangeVar unless it means a CTE.
func (w *nameWalk) relation(rv *pg_query.RangeVar, state walkState) {
	if rv == nil || rv.GetRelname() == "" {
		return
	}
	if state.role == Read && rv.GetSchemaname() == "" && state.ctes.has(rv.GetRelname()) {
		return
	}
	parts := rangeVarParts(rv)
	name := Name{Parts: parts, Kind: RelationName, Role: state.role}
	if uncut, span, ok := w.st.nameAt(int(rv.GetLocation()), len(parts)); ok {
		name.Parts, name.Span = uncut, span
	}
	w.names = append(w.names, name)
}
