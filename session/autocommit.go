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
	if err := s.commitOpen(ctx, e); err != nil {
		return err
	}
	// What was staged is done now: the statement meets it as it has become.
	p, elsewhere, err := s.planDDL(ctx, st, settings)
	switch {
	case err != nil:
		return err
	case elsewhere != nil:
		return elsewhere(e)
	}
	if err := s.runStaged(ctx, st, e, p, settings); err != nil || len(s.tx.staged) == 0 {
		return err
	}
	s.tx.staged[0].alone = true
	return s.commitChained(ctx)
}

// commitOpen commits what the block has done before a statement that commits itself. Its savepoints, cursors
// and SET LOCAL end with it, as with every COMMIT.
func (s *Session) commitOpen(ctx context.Context, e *execution) error {
	if err := s.releaseHeld(); err != nil {
		return err
	}
	s.dropPortalsBut(e.portal)
	if len(s.tx.staged) > 0 {
		return s.commitChained(ctx)
	}
	if _, err := s.query(ctx, beforeCommitQuery); err != nil {
		return err
	}
	if _, err := s.commitHome(ctx, chainText()); err != nil {
		return s.reopen(ctx, err)
	}
	return nil
}

// commitChained commits the staged work; the client stays in its block.
func (s *Session) commitChained(ctx context.Context) error {
	held := s.held
	if err := s.commitStaged(ctx, chainText()); err != nil {
		return s.reopen(ctx, err)
	}
	s.held = held
	return nil
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
