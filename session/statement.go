package session

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/role"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// execution is how a statement is asked for: from a Query, or by Execute on a portal.
type execution struct {
	portal  *portal // nil in a Query
	frame   Frame   // the Execute message
	maxRows uint32
}

// runStatement runs one statement of a message that is not passed on as a whole. In the extended
// protocol the statement is a watched one or ours.
func (s *Session) runStatement(ctx context.Context, st *routed, e *execution) error {
	switch st.verdict {
	case controls:
		return s.runControl(ctx, st, e)
	case ours, asks:
		return s.runOurs(ctx, st, e)
	default:
		ctx, end := s.begin(ctx)
		defer end()
		return s.passOnStatement(ctx, st)
	}
}

// runOurs runs a statement that we answer, or that may turn out to be the home database's.
func (s *Session) runOurs(ctx context.Context, st *routed, e *execution) error {
	ctx, end := s.begin(ctx)
	defer end()
	return becauseOf(ctx, s.runOwn(ctx, st, e))
}

// becauseOf is the error that ended a statement: when it was cancelled, that, whatever the part that was
// under way calls it.
func becauseOf(ctx context.Context, err error) error {
	cause, coded := errors.AsType[*sqlerr.Error](context.Cause(ctx))
	if err == nil || !coded || errors.Is(err, errBackendGone) || errors.Is(err, errAnswered) {
		return err
	}
	if e, ok := errors.AsType[*sqlerr.Error](err); ok && e.Code == cause.Code {
		return err // the same, with more detail
	}
	return cause
}

func (s *Session) runOwn(ctx context.Context, st *routed, e *execution) error {
	if query := translate(st.parsed); query != nil {
		return s.passOnText(ctx, st, plan.HomeStatement{SQL: query.Text(), Origin: query})
	}
	switch ext := st.parsed.Extension.(type) {
	case *parse.Job:
		return s.runJob(ctx, st, ext)
	case *parse.ShowCreate:
		return s.runShowCreate(ctx, st, ext, e)
	case *parse.Explain:
		return s.runExplain(ctx, st, ext, e)
	}
	if role.Is(st.parsed) {
		return s.runRoles(ctx, st, e)
	}
	if st.rows != nil {
		return s.runPortal(ctx, e)
	}
	return s.runDDL(ctx, st, e)
}

// runControl runs a transaction statement. COMMIT with staged work is where that work is done.
func (s *Session) runControl(ctx context.Context, st *routed, e *execution) error {
	tx := s.backend.state()
	switch c := st.control; {
	case c.kind == mayCommit && len(s.tx.staged) > 0 && !s.tx.inBlock(tx):
		return sqlerr.New(sqlerr.InvalidTransactionTermination, "CALL and DO cannot follow a change of an external system in an implicit transaction").
			WithHint("Run them by themselves, or in a transaction block.")
	case c.kind == commitBlock && len(s.tx.staged) > 0 && (tx != 'E' || s.tx.recovered):
		return s.commitBlock(ctx, st)
	case c.kind == prepareTransaction && len(s.tx.staged) > 0:
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot PREPARE a transaction that has changed tables of external systems").
			WithHint("COMMIT it instead.")
	}
	if e.portal != nil {
		if err := s.forward(ctx, e.frame, 'E'); err != nil {
			return err
		}
		if _, failed, err := s.backend.drain(); err != nil || failed {
			return err // the home server has answered its error; nothing was carried out
		}
	} else if err := s.passOnStatement(ctx, st); err != nil {
		return err
	}
	s.tx.controlled(st.control)
	s.closed(st.control)
	return nil
}

// closed forgets prepared statements that the home server has closed.
func (s *Session) closed(c control) {
	switch {
	case c.kind != closeStatements:
	case c.all:
		clear(s.prepared)
	default:
		delete(s.prepared, c.statement)
	}
}

// rows answers a statement of ours with the rows of a query that the home server runs in its place. In
// a Query its RowDescription is shown; a portal's was asked for by Describe.
func (s *Session) rows(ctx context.Context, e *execution, sql string, tag string, suspended bool, args ...[]byte) error {
	x := newExchange(s.client)
	x.show = func(f Frame) bool { return f.Type == 'D' || f.Type == 'T' && e.portal == nil }
	x.keepTag = true
	var formats []int16
	if e.portal != nil {
		formats = e.portal.bind.ResultFormats
	}
	err := s.backend.addAll(x,
		outgoing{&pgproto3.Close{ObjectType: 'P', Name: ownName}, 'C'},
		outgoing{&pgproto3.Close{ObjectType: 'S', Name: ownName}, 'C'},
		outgoing{&pgproto3.Parse{Name: ownName, Query: sql}, 'P'},
		outgoing{&pgproto3.Bind{DestinationPortal: ownName, PreparedStatement: ownName, Parameters: args, ResultFormatCodes: formats}, 'B'},
		outgoing{&pgproto3.Describe{ObjectType: 'P', Name: ownName}, 'D'},
		outgoing{&pgproto3.Execute{Portal: ownName}, 'E'},
		outgoing{&pgproto3.Close{ObjectType: 'S', Name: ownName}, 'C'},
	)
	if err != nil {
		return err
	}
	if err := s.backend.run(ctx, x, func() { s.cancelHome(context.WithoutCancel(ctx)) }); err != nil {
		return err
	}
	if suspended {
		return s.client.Send(PortalSuspended{})
	}
	return s.client.Send(CommandComplete{tag})
}
