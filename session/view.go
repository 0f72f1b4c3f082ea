package session

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/route"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// viewDepthMax bounds views over views.
const viewDepthMax = 32

// decided is what a statement was found to be, so that it need not be asked twice before it begins.
type decided struct {
	statement *routed
	decision  route.Decision
	snap      *catalog.Snapshot
}

// decideThrough is decide for a statement that may read managed tables through views: those are replaced by
// their queries first. The statement that it returns is the one that the decision is about.
func (s *Session) decideThrough(ctx context.Context, st *routed) (*routed, route.Decision, *catalog.Snapshot, error) {
	if known := st.decided; known != nil {
		st.decided = nil
		return known.statement, known.decision, known.snap, nil
	}
	if st.asked != nil {
		st = st.asked // what its views are is looked at again
	}
	d, snap, err := s.decide(ctx, st.parsed)
	if err != nil || len(bind.Views(st.parsed, snap)) == 0 {
		return st, d, snap, err
	}
	x := &expander{session: s}
	expanded, err := x.expand(ctx, st.parsed, "", 0)
	if err != nil {
		return st, d, snap, err
	}
	if expanded == st.parsed {
		return st, d, snap, nil
	}
	made := *st
	made.asked = st
	made.parsed, made.text, made.readers = expanded, expanded.Text, x.readers
	d, snap, err = s.decide(ctx, expanded)
	return &made, d, snap, err
}

// expander replaces views over managed tables by their queries.
type expander struct {
	session *Session
	readers []string // the roles with whose rights managed tables are read; empty: the session's
}

// expansion is what the home database says of a view.
type expansion struct {
	Definition string `json:"definition"`
	Owner      string `json:"owner"`
	Barrier    bool   `json:"barrier"`
	Invoker    bool   `json:"invoker"`
}

// expand returns the query without views through which a managed table is reached, or the query itself when there
// is none. role is who reads: a view's query reads with the rights of the view's owner.
func (x *expander) expand(ctx context.Context, st *parse.Statement, role string, depth int) (*parse.Statement, error) {
	if depth > viewDepthMax {
		return nil, sqlerr.New(sqlerr.StatementTooComplex, "views over external tables nest deeper than %d levels", viewDepthMax)
	}
	snap, err := x.session.snapshot(ctx, st)
	if err != nil {
		return nil, err
	}
	if bind.ReadsManaged(st, snap) {
		x.readers = append(x.readers, role)
	}
	definitions := map[uint32]string{}
	for _, view := range bind.Views(st, snap) {
		text, err := x.view(ctx, view, role, depth)
		if err != nil {
			return nil, err
		}
		if text != "" {
			definitions[view.OID] = text
		}
	}
	if len(definitions) == 0 {
		return st, nil
	}
	return bind.Expand(st, snap, definitions)
}

// view is the query of a view, empty for one that has nothing to do with managed tables.
func (x *expander) view(ctx context.Context, view catalog.Relation, role string, depth int) (string, error) {
	r, err := x.session.query(ctx, "select tablewright.expansion($1::pg_catalog.oid)::pg_catalog.text", texts(fmt.Sprint(view.OID))...)
	if err != nil || len(r.Rows) != 1 || r.Rows[0][0] == nil {
		return "", err
	}
	var e expansion
	if err := json.Unmarshal(r.Rows[0][0], &e); err != nil {
		return "", fmt.Errorf("view %s: %w", view.HomeName, err)
	}
	if err := x.session.mayReadView(ctx, view, role); err != nil {
		return "", err
	}
	statements, err := parse.Split(e.Definition)
	if err != nil || len(statements) != 1 || statements[0].Node.GetSelectStmt() == nil {
		return "", sqlerr.New(sqlerr.FeatureNotSupported, "view %s cannot be read: its query is not understood", view.HomeName).WithCause(err)
	}
	reader := e.Owner
	if e.Invoker {
		reader = role
	}
	inner, err := x.expand(ctx, &statements[0], reader, depth+1)
	if err != nil {
		return "", err
	}
	if e.Barrier {
		// Conditions of the query around it are not evaluated before those of the view.
		return "SELECT * FROM (" + inner.Text + "\n) AS tw_view OFFSET 0", nil
	}
	return inner.Text, nil
}
