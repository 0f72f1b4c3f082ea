package apply

import (
	"context"
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// apply runs the files and then prunes.
func (r *run) apply(ctx context.Context) error {
	if err := r.execute(ctx, nil); err != nil {
		return err
	}
	if !r.options.Prune || r.counts[failed] > 0 {
		return nil
	}
	if err := r.begin(ctx, false); err != nil {
		return err
	}
	removals, err := r.removals(ctx)
	if err != nil {
		return err
	}
	r.prune(ctx, removals)
	return nil
}

// execute runs the statements of all files. expected, when not nil, holds what a plan says of each.
func (r *run) execute(ctx context.Context, expected []plannedStatement) error {
	touched := &targets{}
	n := 0
	for _, s := range r.scripts {
		if err := r.begin(ctx, false); err != nil {
			return err
		}
		b := &block{}
		for i := range s.statements {
			hash := ""
			if expected != nil {
				hash = touched.hash(expected[n])
				n++
			}
			res := r.runStatement(ctx, s, &s.statements[i], hash)
			if res.Result != failed && r.conn.pg.TxStatus() != 'E' {
				if err := r.declare(ctx, &s.statements[i], res); err != nil {
					res.failAt(s, &s.statements[i], err)
				}
			}
			r.collect(b, &s.statements[i], res)
			if r.conn.pg.IsClosed() || res.Result == failed && !r.options.KeepGoing {
				r.abandon(b)
				r.stopped = true
				return nil
			}
		}
		if err := r.endFile(ctx, s, b); err != nil || r.stopped {
			return err
		}
	}
	return nil
}

// endFile refuses a file that leaves its transaction block open.
func (r *run) endFile(ctx context.Context, s *script, b *block) error {
	if !r.conn.inBlock() {
		return nil
	}
	if _, err := r.conn.run(ctx, "ROLLBACK"); err != nil {
		return err
	}
	r.abandon(b)
	r.show(openBlock(s))
	r.stopped = !r.options.KeepGoing
	return nil
}

// openBlock is the result of a file that ends inside a transaction block.
func openBlock(s *script) *result {
	res := &result{Type: "statement", File: s.name, Line: s.place(len(s.rewrite.Text())).line}
	res.fail(sqlerr.New(sqlerr.ActiveSQLTransaction, "the file ends inside a transaction block").
		WithDetail("The block was rolled back.").WithHint("Write COMMIT."))
	return res
}

// block holds back the results of a transaction block until it is known what became of it.
type block struct {
	results    []*result
	savepoints []savepoint
}

type savepoint struct {
	name string
	at   int // number of results before it
}

// collect shows a result, or keeps it until its block ends.
func (r *run) collect(b *block, st *parse.Statement, res *result) {
	b.results = append(b.results, res)
	if kind, name, ok := transactionKind(st); ok && res.Result != failed {
		b.control(kind, name, r.conn)
	}
	if !r.conn.inBlock() {
		r.flush(b)
	}
}

// control follows savepoints and the end of a block that another one follows at once.
func (b *block) control(kind pg_query.TransactionStmtKind, name string, c *connection) {
	switch kind {
	case pg_query.TransactionStmtKind_TRANS_STMT_SAVEPOINT:
		b.savepoints = append(b.savepoints, savepoint{name, len(b.results)})
	case pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK_TO:
		for i, s := range slices.Backward(b.savepoints) {
			if s.name == name {
				b.undo(s.at, len(b.results)-1)
				b.savepoints = b.savepoints[:i+1]
				return
			}
		}
	case pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK:
		b.undo(0, len(b.results)-1)
	case pg_query.TransactionStmtKind_TRANS_STMT_COMMIT:
		if c.tag == "ROLLBACK" {
			b.undo(0, len(b.results)-1)
		}
	default:
	}
}

// undo marks what was taken back.
func (b *block) undo(from, to int) {
	for _, res := range b.results[from:to] {
		if res.control {
			continue
		}
		switch res.Result {
		case created, changed, dropped, done, wouldCreate, wouldChange, wouldDrop:
			res.Result = rolledBack
		}
	}
}

func (r *run) flush(b *block) {
	for _, res := range b.results {
		r.show(res)
	}
	*b = block{}
}

// abandon shows what is left of a block that does not reach its end.
func (r *run) abandon(b *block) {
	if n := len(b.results); n > 0 {
		b.undo(0, n)
	}
	r.flush(b)
}

// targets are the objects that a run has changed so far.
type targets struct{ names map[string]bool }

// hash is the hash that a statement's plan must have. What an earlier statement of the files has changed was not
// there yet when the plan was made, so that its plan has another hash by now.
func (t *targets) hash(p plannedStatement) string {
	if t.names == nil {
		t.names = map[string]bool{}
	}
	own := t.names[p.Object] || t.names[catalogOf(p.Object)]
	if p.Result == wouldCreate || p.Result == wouldChange || p.Result == wouldDrop {
		t.names[p.Object] = true
	}
	if own || p.PlanHash == "" {
		return ""
	}
	return p.PlanHash
}
