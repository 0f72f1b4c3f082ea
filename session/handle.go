package session

import (
	"context"
	"errors"
)

// handle deals with one message of the client.
func (s *Session) handle(ctx context.Context, f Frame) error {
	if s.skip && f.Type != 'S' && f.Type != 'X' {
		return nil // after an error of ours, up to the Sync
	}
	if f.Type != 'S' {
		if err := s.releaseHeld(); err != nil {
			return err
		}
	}
	switch f.Type {
	case 'X':
		return errTerminate
	case 'S':
		return s.sync(ctx, f)
	case 'Q':
		return s.simpleQuery(ctx, f)
	case 'P':
		return s.parse(ctx, f)
	case 'B':
		return s.bind(ctx, f)
	case 'D':
		return s.describe(ctx, f)
	case 'E':
		return s.execute(ctx, f)
	case 'C':
		return s.closeNamed(ctx, f)
	case 'F':
		return s.forward(ctx, f, 'F')
	default: // H, c, d, f: no answer of their own
		return s.forward(ctx, f, 0)
	}
}

// forward passes a message on to the home server, unchanged. kind is what its answer is expected as, 0
// when it has none.
func (s *Session) forward(ctx context.Context, f Frame, kind byte) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	if kind == 'D' && len(f.Body) > 0 && f.Body[0] == 'S' {
		kind = 'd'
	}
	if f.Type == 'c' || f.Type == 'f' {
		s.backend.endCopy()
	}
	if err := s.backend.add(f, kind, nil); err != nil {
		return errors.Join(errBackendGone, err)
	}
	return nil
}
