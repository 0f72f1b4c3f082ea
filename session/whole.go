package session

import (
	"context"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/route"
)

// passesWhole tells whether every statement of a Query of several turns out to be the home database's, so
// that the Query can go there as it came. What the names mean is asked before any of it runs; a script that
// might change that on its way is run statement by statement.
func (s *Session) passesWhole(ctx context.Context, script script) (bool, error) {
	if s.watches(script) {
		return false, nil
	}
	moved, uncovered := false, false
	for i := range script.statements {
		st := &script.statements[i]
		if st.verdict == ours || st.verdict == asks && moved {
			return false, nil
		}
		if st.verdict == asks {
			if home, err := s.isHome(ctx, st, uncovered); err != nil || !home {
				return false, err
			}
		}
		moved = moved || s.movesNames(st)
		uncovered = uncovered || uncovers(st.parsed.Node)
	}
	return true, nil
}

// isHome tells whether a statement is the home database's, also after statements before it that may have
// uncovered what a schema of the search path holds.
func (s *Session) isHome(ctx context.Context, st *routed, uncovered bool) (bool, error) {
	_, d, snap, err := s.decideThrough(ctx, st)
	if err != nil {
		// The statements before it have to run first.
		if _, failed, drainErr := s.backend.drain(); failed || drainErr != nil {
			return false, err
		}
		return false, nil
	}
	managed := func(schema string) bool { return snap.Schemas[schema].Catalog != "" }
	if uncovered && slices.ContainsFunc(snap.SearchPath, managed) {
		return false, nil
	}
	return d.Route == route.Home, nil
}

// movesNames tells whether names may mean something managed after a statement that did not before.
func (s *Session) movesNames(st *routed) bool {
	set := st.parsed.Node.GetVariableSetStmt()
	if set == nil {
		return strings.Contains(strings.ToLower(st.text), "search_path")
	}
	switch set.GetName() {
	case "role", "session_authorization":
		return true
	case "search_path":
		return set.GetKind() != pg_query.VariableSetKind_VAR_SET_VALUE || slices.ContainsFunc(set.GetArgs(), s.mayBeManaged)
	default:
		return set.GetKind() == pg_query.VariableSetKind_VAR_RESET_ALL
	}
}

// uncovers tells whether a statement may take away a home object behind which one of an external system has the
// same name.
func uncovers(node *pg_query.Node) bool {
	return node.GetDropStmt() != nil || node.GetRenameStmt() != nil || node.GetAlterObjectSchemaStmt() != nil ||
		node.GetDropOwnedStmt() != nil || node.GetDiscardStmt().GetTarget() == pg_query.DiscardMode_DISCARD_TEMP
}

// mayBeManaged tells whether a schema of a search path may be one of a catalog.
func (s *Session) mayBeManaged(schema *pg_query.Node) bool {
	name := schema.GetAConst().GetSval().GetSval()
	return s.mayMean([]parse.Name{{Parts: []string{name}, Kind: parse.SchemaName}})
}
