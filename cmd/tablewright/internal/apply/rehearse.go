package apply

import (
	"context"
	"time"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/parse"
)

// rehearse shows what apply would do. It runs in one transaction that the gateway never commits: each
// statement on managed objects is planned and, where it would change something, staged, so that the next ones
// see it. Statements of the home database alone are listed and not run, but for SET and transactions.
func (r *run) rehearse(ctx context.Context) error {
	if err := r.rehearseFiles(ctx); err != nil {
		return err
	}
	if r.options.Prune && r.failures() == 0 {
		if err := r.begin(ctx, true); err != nil {
			return err
		}
		removals, err := r.removals(ctx)
		if err != nil {
			return err
		}
		r.list(removals)
	}
	if r.conn.pg.IsClosed() {
		return nil
	}
	_, err := r.conn.run(ctx, "ROLLBACK")
	return err
}

// failures counts the failed results, shown or not.
func (r *run) failures() int {
	n := 0
	for _, res := range r.results {
		if res.Result == failed {
			n++
		}
	}
	return n
}

func (r *run) rehearseFiles(ctx context.Context) error {
	if _, err := r.conn.run(ctx, "BEGIN"); err != nil {
		return err
	}
	for _, s := range r.scripts {
		if err := r.begin(ctx, true); err != nil {
			return err
		}
		b := &rehearsedBlock{}
		for i := range s.statements {
			st := &s.statements[i]
			res := r.rehearseStatement(ctx, s, st, b)
			r.keep(b, res)
			if r.conn.pg.IsClosed() || res.Result == failed && !r.options.KeepGoing {
				r.flush(&b.block)
				r.stopped = true
				return nil
			}
		}
		r.flush(&b.block)
		if b.open {
			if _, err := r.conn.run(ctx, "ROLLBACK TO SAVEPOINT tablewright_block"); err != nil {
				return err
			}
			r.show(openBlock(s))
			if !r.options.KeepGoing {
				r.stopped = true
				return nil
			}
		}
	}
	return nil
}

// rehearsedBlock is a transaction block of a file: a savepoint of the transaction that all is rehearsed in.
type rehearsedBlock struct {
	block
	open bool
}

func (r *run) keep(b *rehearsedBlock, res *result) {
	b.results = append(b.results, res)
	if !b.open {
		r.flush(&b.block)
	}
}

// rehearseStatement tells what a statement would do.
func (r *run) rehearseStatement(ctx context.Context, s *script, st *parse.Statement, b *rehearsedBlock) *result {
	began := time.Now()
	res := newResult(s, st)
	defer func() { res.Duration = milliseconds(time.Since(began)) }()
	var err error
	kind, name, control := transactionKind(st)
	switch {
	case control:
		res.Result = done
		err = r.rehearseControl(ctx, kind, name, st, b)
	case st.Node.GetVariableSetStmt() != nil:
		res.Result = done
		err = r.safely(ctx, func() error {
			if _, err := r.conn.run(ctx, st.Text); err != nil {
				return err
			}
			_, err := r.conn.run(ctx, "SET tablewright.dry_run = stage") // whatever the file wishes
			return err
		})
	case !explainable(st):
		res.Result = notShown
	default:
		err = r.safely(ctx, func() error { return r.plan(ctx, st, res) })
	}
	if err == nil {
		err = r.declare(ctx, st, res)
	}
	if err != nil {
		res.failAt(s, st, err)
	}
	return res
}

// plan plans a statement and stages it when it would do something.
func (r *run) plan(ctx context.Context, st *parse.Statement, res *result) error {
	var plan *explained
	err := r.safely(ctx, func() (err error) {
		plan, err = r.conn.explain(ctx, st)
		return err
	})
	if err != nil {
		return err
	}
	if plan == nil {
		res.Result = notShown
		return nil
	}
	res.Object, res.plan = plan.Target, plan
	res.Result, _ = plan.planned()
	if res.Result == unchanged {
		return nil
	}
	res.Plan = plan.document
	_, err = r.conn.run(ctx, st.Text)
	return err
}

// safely runs f so that an error leaves the transaction usable.
func (r *run) safely(ctx context.Context, f func() error) error {
	if _, err := r.conn.run(ctx, "SAVEPOINT tablewright_statement"); err != nil {
		return err
	}
	err := f()
	if lost(err) {
		return err
	}
	end := "RELEASE SAVEPOINT tablewright_statement"
	if err != nil || r.conn.failed() {
		end = "ROLLBACK TO SAVEPOINT tablewright_statement; " + end
	}
	if _, endErr := r.conn.run(ctx, end); err == nil {
		err = endErr
	}
	return err
}

// rehearseControl runs a transaction statement of a file.
func (r *run) rehearseControl(
	ctx context.Context, kind pg_query.TransactionStmtKind, name string, st *parse.Statement, b *rehearsedBlock,
) error {
	sql := ""
	switch kind {
	case pg_query.TransactionStmtKind_TRANS_STMT_BEGIN, pg_query.TransactionStmtKind_TRANS_STMT_START:
		if !b.open {
			sql, b.open = "SAVEPOINT tablewright_block", true
		}
	case pg_query.TransactionStmtKind_TRANS_STMT_COMMIT, pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK:
		if !b.open {
			return nil
		}
		sql = "RELEASE SAVEPOINT tablewright_block"
		if kind == pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK {
			b.undo(0, len(b.results))
			sql = "ROLLBACK TO SAVEPOINT tablewright_block; " + sql
		}
		b.savepoints = nil
		b.open = st.Node.GetTransactionStmt().GetChain()
		if b.open {
			sql += "; SAVEPOINT tablewright_block"
		}
	case pg_query.TransactionStmtKind_TRANS_STMT_SAVEPOINT, pg_query.TransactionStmtKind_TRANS_STMT_RELEASE,
		pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK_TO:
		sql = st.Text
	default:
	}
	if sql == "" {
		return nil
	}
	_, err := r.conn.run(ctx, sql)
	if err == nil && kind == pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK_TO || kind == pg_query.TransactionStmtKind_TRANS_STMT_SAVEPOINT {
		b.results = append(b.results, nil)
		b.control(kind, name, r.conn)
		b.results = b.results[:len(b.results)-1]
	}
	return err
}
