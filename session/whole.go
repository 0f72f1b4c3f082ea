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
	if len(s.tx.staged) > 0 || s.tx.write != nil || len(s.portals) > 0 {
		return false, nil
	}
	for i := range script.statements {
		if st := &script.statements[i]; st.verdict == ours || s.movesNames(st) {
			return false, nil
		}
	}
	for i := range script.statements {
		if script.statements[i].verdict != asks {
			continue
		}
		d, _, err := s.decide(ctx, script.statements[i].parsed)
		if err != nil {
			// The statements before it have to run first.
			_, failed, drainErr := s.backend.drain()
			if failed || drainErr != nil {
				return false, err
			}
			return false, nil
		}
		if d.Route != route.Home {
			return false, nil
		}
	}
	return true, nil
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

// mayBeManaged tells whether a schema of a search path may be one of a catalog.
func (s *Session) mayBeManaged(schema *pg_query.Node) bool {
	name := schema.GetAConst().GetSval().GetSval()
	return s.mayMean([]parse.Name{{Parts: []string{name}, Kind: parse.SchemaName}})
}
