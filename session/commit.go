package session

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/deploy"
)

// beforeCommitQuery brings forward what could still make the home commit fail.
const (
	beforeCommitQuery = "set constraints all immediate"
	xidQuery          = "select pg_catalog.pg_current_xact_id()::pg_catalog.text"
)

// commitPoint does the external work of the open transaction and commits it at home, in this order:
// records, what can be undone, the home commit, what cannot be undone. text is the statement that
// commits a block; nil stands for the Sync that commits an implicit transaction, whose ReadyForQuery the
// caller then finds sent (readySent). An error means that nothing was committed and all was undone,
// except that a statement alone may fail after its home commit.
func (s *Session) commitPoint(ctx context.Context, text *routed) error {
	ctx, end := s.begin(ctx)
	defer end()
	return s.commitStaged(ctx, text)
}

// commitStaged is commitPoint inside a statement of ours.
func (s *Session) commitStaged(ctx context.Context, text *routed) error {
	staged := s.tx.take()
	run, err := s.beginRun(ctx, staged)
	if err != nil {
		s.tx.abandon(staged)
		return err
	}
	notifier := sessionNotifier{s, staged[0].settings.ClientMinMessages}
	if err := run.Forward(ctx, notifier); err != nil {
		s.tx.abandon(staged)
		return err
	}
	tag, err := s.commitHome(ctx, text, s.completions(staged, run))
	if err != nil {
		return s.commitFailed(ctx, run, staged, err)
	}
	s.gateway.Names.add(s.own)
	s.own = newManagedNames()
	s.forgetSecrets(ctx, staged)
	warnings, err := run.Committed(ctx, notifier)
	for _, w := range warnings {
		if err := s.notify(w, staged[0].settings.ClientMinMessages); err != nil {
			return err
		}
	}
	if err != nil {
		s.held = nil
		if text == nil {
			return s.failCommitted(err)
		}
		return err
	}
	if text != nil {
		s.held = CommandComplete{tag}
		return nil
	}
	return s.ready()
}

// forgetMax bounds the removal of secrets.
const forgetMax = 10 * time.Second

// forgetSecrets removes what a committed statement was the last to refer to.
func (s *Session) forgetSecrets(ctx context.Context, staged []stagedStatement) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), forgetMax)
	defer cancel()
	for _, st := range staged {
		if err := s.gateway.Secrets.Forget(ctx, st.plan.Forget); err != nil {
			s.log.Warn().Err(err).Msg("secret of a dropped catalog not removed")
		}
	}
}

// forgetOrphans removes the secrets of statements that were rolled back.
func (s *Session) forgetOrphans(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), forgetMax)
	defer cancel()
	orphans := s.tx.orphans
	s.tx.orphans = nil
	if err := s.gateway.Secrets.Forget(ctx, orphans); err != nil {
		s.log.Warn().Err(err).Msg("secret of a statement that was rolled back not removed")
	}
}

// beginRun records the staged work.
func (s *Session) beginRun(ctx context.Context, staged []stagedStatement) (*deploy.Run, error) {
	xid := staged[0].homeXID
	if !staged[0].ready {
		var err error
		if xid, err = s.homeXID(ctx, beforeCommitQuery); err != nil {
			return nil, err
		}
	}
	req := deploy.Request{
		HomeXID:  xid,
		Alone:    len(staged) == 1 && staged[0].alone,
		Settings: staged[0].settings,
		Origin: deploy.Origin{
			User: s.User, ApplicationName: staged[0].settings.ApplicationName,
			ClientAddr: s.RemoteAddr, SessionID: s.SessionID,
		},
	}
	for _, st := range staged {
		if st.homeXID != xid {
			return nil, fmt.Errorf("work staged in transaction %d met the commit of %d", st.homeXID, xid)
		}
		req.Statements = append(req.Statements, deploy.Statement{Plan: st.plan, JobID: st.jobID, Relation: st.relation, Schema: st.schema, RetryOf: st.retryOf})
	}
	return s.gateway.Deployer.Begin(ctx, req)
}

// homeXID is the id of the open home transaction, asked for behind what is to be run first.
func (s *Session) homeXID(ctx context.Context, first ...string) (uint64, error) {
	x := newExchange(s.client)
	for _, sql := range append(first, xidQuery) {
		if err := s.addQuery(x, sql, nil); err != nil {
			return 0, err
		}
	}
	r, err := s.collect(ctx, x)
	if err != nil {
		return 0, withoutPosition(err)
	}
	xid, err := strconv.ParseUint(string(r.Rows[len(r.Rows)-1][0]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("home transaction id: %w", err)
	}
	return xid, nil
}

// commitHome commits at home, behind what is to be committed with it, and returns the command tag of the statement
// that did.
func (s *Session) commitHome(ctx context.Context, text *routed, with *completions) (string, error) {
	// Whatever the client wants now, a commit that is under way is waited for.
	ctx = context.WithoutCancel(ctx)
	x := newExchange(s.client)
	x.show, x.gather = func(f Frame) bool { return f.Type == 'N' }, true
	if err := with.add(s, x); err != nil {
		return "", err
	}
	if text != nil {
		if err := s.addQuery(x, text.text, nil); err != nil {
			return "", err
		}
		if err := s.backend.run(ctx, x, func() {}); err != nil {
			return "", withoutPosition(err)
		}
		if x.tag != "COMMIT" {
			return "", sqlerr.New(sqlerr.InFailedSQLTransaction, "current transaction is aborted, commands ignored until end of transaction block")
		}
		with.answered(x.rows)
		s.tx.controlled(text.control)
		return x.tag, nil
	}
	if err := s.backend.addMessage(&pgproto3.Sync{}, 'S', x); err != nil {
		return "", err
	}
	s.tx.settled()
	if err := s.backend.run(ctx, x, func() {}); err != nil {
		if _, _, drainErr := s.backend.drain(); drainErr != nil {
			return "", drainErr
		}
		return "", withoutPosition(err)
	}
	with.answered(x.rows)
	return "", nil
}

// commitFailed undoes the external work of a transaction that the home database did not commit. When the
// connection was lost the database itself says whether it did.
func (s *Session) commitFailed(ctx context.Context, run *deploy.Run, staged []stagedStatement, cause error) error {
	ctx = context.WithoutCancel(ctx)
	if errors.Is(cause, errBackendGone) {
		committed, err := run.HomeCommitted(ctx)
		if err != nil || committed {
			// Committed, or unknown as yet: recovery takes the jobs from here.
			run.Leave()
			return errors.Join(cause, err)
		}
	}
	s.tx.abandon(staged)
	return run.RolledBack(ctx, cause)
}

// failCommitted answers the error of a statement whose home transaction is over.
func (s *Session) failCommitted(err error) error {
	if err := s.client.Send(ErrorReply{sqlerr.From(err)}); err != nil {
		return err
	}
	return s.ready()
}

// ready sends the ReadyForQuery that stands for the one that the home server sent at the commit.
func (s *Session) ready() error {
	if err := s.releaseHeld(); err != nil {
		return err
	}
	if s.noReady {
		return nil
	}
	tx := s.backend.state()
	s.readySent = true
	return s.client.Send(Ready{tx})
}

// commitBlock runs the COMMIT of a block with staged work. When that fails the block is rolled back, and
// the client finds itself outside of it, as after every failed COMMIT.
func (s *Session) commitBlock(ctx context.Context, st *routed) error {
	err := s.commitPoint(ctx, st)
	if err == nil || errors.Is(err, errBackendGone) {
		return err
	}
	tx, failed, drainErr := s.backend.drain()
	if drainErr != nil {
		return drainErr
	}
	if tx != 'I' || failed || s.tx.began {
		if err := s.rollbackHome(ctx); err != nil {
			return err
		}
	}
	s.tx.controlled(control{kind: rollbackBlock})
	return err
}

// rollbackHome ends the home transaction, in whatever state it is.
func (s *Session) rollbackHome(ctx context.Context) error {
	x := newExchange(s.client)
	if err := s.backend.addMessage(&pgproto3.Sync{}, 'S', x); err != nil {
		return err
	}
	if err := s.backend.addMessage(&pgproto3.Query{String: "rollback"}, 'Q', x); err != nil {
		return err
	}
	return s.backend.run(context.WithoutCancel(ctx), x, func() {})
}

// sessionNotifier passes notices of the deployer on to the client.
type sessionNotifier struct {
	session *Session
	minimum string
}

// Notify sends one notice. A client that is gone is noticed elsewhere.
func (n sessionNotifier) Notify(_ context.Context, notice plan.Notice) {
	if err := n.session.notify(notice, n.minimum); err != nil {
		n.session.log.Debug().Err(err).Msg("notice not sent")
	}
}
