package session

import (
	"context"
)

// handle deals with one message of the client.
func (s *Session) handle(ctx context.Context, f Frame) error {
	switch f.Type {
	case 'X':
		return errTerminate
	case 'S':
		return s.sync(ctx, f)
	case 'Q':
		return s.forward(ctx, f, 'Q')
	case 'P', 'B', 'E', 'C', 'D':
		return s.forward(ctx, f, f.Type)
	case 'F':
		return s.forward(ctx, f, 'F')
	default: // H, c, d, f: no answer of their own
		return s.forward(ctx, f, 0)
	}
}

// sync forwards a Sync; without a home connection there is nothing to commit, and we answer it.
func (s *Session) sync(ctx context.Context, f Frame) error {
	s.skip = false
	if s.backend == nil {
		return s.client.Send(Ready{'I'})
	}
	return s.forward(ctx, f, 'S')
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
	s.backend.add(f, kind, nil)
	return nil
}
