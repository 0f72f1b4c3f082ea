package session

import (
	"context"
	"errors"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// handle deals with one message of the client. In the middle of a COPY's data the home server is the judge
// of it: Flush and Sync are part of the copy, anything else ends it.
func (s *Session) handle(ctx context.Context, f Frame) error {
	err := s.dispatch(ctx, f)
	if !errors.Is(err, errCopyIn) {
		return err
	}
	if f.Type == 'S' {
		return s.forward(ctx, f, 'S')
	}
	return s.forward(ctx, f, 0)
}

func (s *Session) dispatch(ctx context.Context, f Frame) error {
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
		return s.refuseQuery(ctx, sqlerr.New(sqlerr.FeatureNotSupported, "the function call protocol is not supported").
			WithHint("Call the function in a SELECT."))
	case 'H':
		if len(f.Body) > 0 {
			return s.forward(ctx, f, 'H') // malformed: an error is its answer
		}
		return s.forward(ctx, f, 0)
	default: // c, d, f: no answer of their own
		return s.forward(ctx, f, 0)
	}
}

// malformed deals with a message whose body cannot be read. Its length was right, so the conversation can
// go on; the home server says what is wrong with it. A Query is the end of the open transaction: where the
// session has work of its own in it, the session fails that itself.
func (s *Session) malformed(ctx context.Context, f Frame, kind byte, err error) error {
	_, coded := errors.AsType[*sqlerr.Error](err)
	switch {
	case !coded:
		return err
	case kind == 'Q' && (len(s.tx.staged) > 0 || s.tx.write != nil):
		return s.refuseQuery(ctx, err)
	default:
		return s.forward(ctx, f, kind)
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
