package session

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/deploy"
)

// chainText is the statement that commits a block's transaction and opens the next with its characteristics: the
// client stays in its block.
func chainText() *routed {
	return &routed{text: "commit and chain", control: control{kind: commitBlock, chain: true}}
}

// autocommits tells whether a statement commits what its block has done, and then itself. An implicit
// transaction is none of the client's making and stays whole.
func (s *Session) autocommits(settings deploy.Settings) bool {
	return settings.DDLInTransaction == "autocommit" && !settings.Rehearse && s.tx.inBlock(s.backend.state())
}

// runAndCommit commits what the block has done, runs the statement and commits that.
func (s *Session) runAndCommit(ctx context.Context, st *routed, e *execution, settings deploy.Settings) error {
	return s.apart(ctx, e, func() error {
		// What was staged is done now: the statement meets it as it has become.
		p, elsewhere, err := s.planDDL(ctx, st, settings)
		switch {
		case err != nil:
			return err
		case elsewhere != nil:
			return elsewhere(e)
		}
		return s.runStaged(ctx, st, e, p, settings)
	})
}

// apart runs work in a transaction of its own, between those of the block before it and behind it.
func (s *Session) apart(ctx context.Context, e *execution, work func() error) error {
	if err := s.commitOpen(ctx, e); err != nil {
		return err
	}
	if err := work(); err != nil {
		return err
	}
	if len(s.tx.staged) > 0 {
		s.tx.staged[0].alone = true
	}
	return s.commitChained(ctx)
}

// commitOpen commits what the block has done before a statement that commits itself. Its savepoints, cursors
// and SET LOCAL end with it, as with every COMMIT.
func (s *Session) commitOpen(ctx context.Context, e *execution) error {
	if err := s.releaseHeld(); err != nil {
		return err
	}
	s.dropPortalsBut(e.portal)
	return s.commitChained(ctx)
}

// commitChained commits what is open, with the staged work if there is any; the client stays in its block.
func (s *Session) commitChained(ctx context.Context) error {
	held := s.held
	commit := s.commitPlain
	if len(s.tx.staged) > 0 {
		commit = s.commitStaged
	}
	if err := commit(ctx, chainText()); err != nil {
		return s.reopen(ctx, err)
	}
	s.held = held
	return nil
}

// commitPlain commits what is the home database's alone.
func (s *Session) commitPlain(ctx context.Context, text *routed) error {
	if _, err := s.query(ctx, beforeCommitQuery); err != nil {
		return err
	}
	_, err := s.commitHome(ctx, text, nil)
	return err
}

// reopen opens a block again, after its commit failed with cause, which the block then fails with.
func (s *Session) reopen(ctx context.Context, cause error) error {
	if errors.Is(cause, errBackendGone) {
		return cause
	}
	if _, _, err := s.backend.drain(); err != nil {
		return err
	}
	if err := s.rollbackHome(ctx); err != nil {
		return err
	}
	s.tx.controlled(control{kind: rollbackBlock})
	x := newExchange(s.client)
	if err := s.backend.addMessage(&pgproto3.Query{String: "begin"}, 'Q', x); err != nil {
		return err
	}
	if err := s.backend.run(context.WithoutCancel(ctx), x, func() {}); err != nil {
		return err
	}
	s.tx.controlled(control{kind: beginBlock})
	return cause
}

// dropPortalsBut forgets our portals, which end with their transaction, but for the one that runs.
func (s *Session) dropPortalsBut(running *portal) {
	for name, p := range s.portals {
		if p != running {
			s.dropPortal(name)
		}
	}
}
