package apply

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
)

// newResult is the result of a statement before it has run.
func newResult(s *script, st *parse.Statement) *result {
	return &result{
		Type: "statement", File: s.name, Line: s.placeIn(st, 0).line, control: st.Node.GetTransactionStmt() != nil,
		Command: st.Command(), Statement: st.Mask(nil), Object: objectName(st),
	}
}

// failAt notes an error of a statement and where in the file it is.
func (r *result) failAt(s *script, st *parse.Statement, err error) {
	r.fail(err)
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Position > 0 {
		at := s.placeIn(st, int(e.Position))
		r.ErrorLine, r.ErrorColumn = at.line, at.column
	}
}

// objectName is the first object that the statement is about, as it is written.
func objectName(st *parse.Statement) string {
	for _, name := range parse.Names(st) {
		if name.Role == parse.Target {
			return quoted(name.Parts)
		}
	}
	return ""
}

func quoted(parts []string) string {
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = catalog.QuoteIdent(part)
	}
	return strings.Join(texts, ".")
}

// runStatement runs one statement; changed tells by its plan, where it has one, what it has come to.
func (r *run) runStatement(ctx context.Context, s *script, st *parse.Statement, hash string) *result {
	began := time.Now()
	res := newResult(s, st)
	defer func() { res.Duration = milliseconds(time.Since(began)) }()
	var plan *explained
	if explainable(st) && !r.conn.failed() {
		var err error
		if plan, err = r.explainSafely(ctx, st); lost(err) {
			res.failAt(s, st, err)
			return res
		}
	}
	if plan != nil {
		res.Object = plan.Target
		if plan.Result == unchanged {
			res.Result = unchanged
			return res
		}
		if hash != "" {
			if _, err := r.conn.run(ctx, "SET tablewright.plan_hash = "+quoteLiteral(hash)); err != nil {
				res.failAt(s, st, err)
				return res
			}
		}
	}
	_, err := r.conn.run(ctx, st.Text)
	switch {
	case err != nil:
		res.failAt(s, st, err)
	case plan != nil:
		_, res.Result = plan.planned()
	default:
		res.Result = r.atHome(st)
	}
	if plan != nil && hash != "" && !r.conn.failed() {
		if _, resetErr := r.conn.run(ctx, "RESET tablewright.plan_hash"); resetErr != nil && err == nil {
			res.failAt(s, st, resetErr)
		}
	}
	return res
}

// explainSafely asks for a plan so that an error does not end the file's own transaction block. Errors of the
// statement are left for the statement itself to meet.
func (r *run) explainSafely(ctx context.Context, st *parse.Statement) (*explained, error) {
	if !r.conn.inBlock() {
		return r.conn.explain(ctx, st)
	}
	if _, err := r.conn.run(ctx, "SAVEPOINT tablewright_explain"); err != nil {
		return nil, err
	}
	plan, err := r.conn.explain(ctx, st)
	if lost(err) {
		return nil, err
	}
	_, endErr := r.conn.run(ctx, "ROLLBACK TO SAVEPOINT tablewright_explain; RELEASE SAVEPOINT tablewright_explain")
	return plan, errors.Join(err, endErr)
}

// lost tells an error of the connection from one that the server has answered.
func lost(err error) bool {
	if err == nil {
		return false
	}
	_, answered := errors.AsType[*pgconn.PgError](err)
	return !answered
}

// atHome is what a statement of the home database's own has come to.
func (r *run) atHome(st *parse.Statement) string {
	switch verb := st.Word(0); {
	case r.conn.skipped():
		return unchanged
	case verb == "drop":
		return dropped
	case verb == "create" && st.Word(1) != "or":
		return created
	default:
		return done
	}
}

// transactionKind is what a transaction statement does; ok is false for any other statement.
func transactionKind(st *parse.Statement) (kind pg_query.TransactionStmtKind, savepoint string, ok bool) {
	t := st.Node.GetTransactionStmt()
	return t.GetKind(), t.GetSavepointName(), t != nil
}

// declare notes what a statement that succeeded says there should be, so that it is not pruned.
func (r *run) declare(ctx context.Context, st *parse.Statement, res *result) error {
	if r.options.Set == "" || st.Word(0) == "drop" || !explainable(st) && st.Node.GetCreateTableAsStmt() == nil &&
		st.Node.GetSelectStmt().GetIntoClause() == nil {
		return nil
	}
	r.declared = append(r.declared, res.Object)
	for _, name := range parse.Names(st) {
		if name.Role != parse.Target {
			continue
		}
		if err := r.declareName(ctx, name.Kind, name.Parts); err != nil {
			return err
		}
		renamed := st.Node.GetRenameStmt().GetNewname()
		if renamed == "" {
			continue
		}
		before, old := name.Parts[:len(name.Parts)-1], catalog.QuoteIdent(name.Parts[len(name.Parts)-1])
		if err := r.declareName(ctx, name.Kind, append(slices.Clone(before), renamed)); err != nil {
			return err
		}
		// What the gateway calls it may have more parts than the file gives.
		if full, ok := strings.CutSuffix(res.Object, old); ok {
			r.declared = append(r.declared, full+catalog.QuoteIdent(renamed))
		}
	}
	return nil
}

// declareName notes a name as it is written, and as it is found by the search path.
func (r *run) declareName(ctx context.Context, kind parse.NameKind, parts []string) error {
	r.declared = append(r.declared, quoted(parts))
	if kind != parse.RelationName || len(parts) == 2 {
		return nil
	}
	rows, err := r.conn.query(ctx, resolveQuery, quoted(parts[max(len(parts)-2, 0):]))
	for _, row := range rows {
		r.declared = append(r.declared, quoted(row))
	}
	return err
}

// resolveQuery finds the schema of a name by the search path that the file has set.
const resolveQuery = `select n.nspname, c.relname from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where c.oid = pg_catalog.to_regclass($1)`
