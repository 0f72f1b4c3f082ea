package session

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgproto3"
)

// runWithCopy runs an exchange during which the client may have to send data.
func (s *Session) runWithCopy(ctx context.Context, x *exchange) error {
	if err := s.backend.send(x); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- s.backend.await(ctx, x, func() { s.cancelHome(context.WithoutCancel(ctx)) }) }()
	select {
	case err := <-done:
		return err
	case <-x.copyIn:
	}
	if err := s.client.Flush(); err != nil {
		return err
	}
	if err := s.copyIn(x.done); err != nil {
		return err
	}
	return <-done
}

// copyIn forwards the client's data until it ends it, or the copy is over before: it has failed. What the
// client sends of it afterwards is dropped, as PostgreSQL does.
func (s *Session) copyIn(over <-chan struct{}) error {
	if s.unwatch != nil {
		s.unwatch() // from here on the client's socket is read
	}
	for s.client.Await(over) {
		select {
		case <-over:
			return nil
		default:
		}
		f, err := s.client.Receive()
		if err != nil {
			return err
		}
		switch f.Type {
		case 'd':
			if err := s.forwardData(f); err != nil {
				return err
			}
		case 'c', 'f':
			return s.endData(f)
		case 'X':
			return errTerminate
		}
	}
	return nil
}

// forwardData passes one piece of the client's data on; it is sent when no more has arrived.
func (s *Session) forwardData(f Frame) error {
	err := s.backend.add(f, 0, nil)
	if err == nil && !s.client.Buffered() {
		err = s.backend.flush()
	}
	if err != nil {
		return errors.Join(errBackendGone, err)
	}
	return nil
}

// endData passes the end of the data on, with a Flush: the one that went before was part of the copy.
func (s *Session) endData(f Frame) error {
	s.backend.endCopy()
	if err := s.backend.add(f, 0, nil); err != nil {
		return errors.Join(errBackendGone, err)
	}
	if err := s.backend.addMessage(&pgproto3.Flush{}, 0, nil); err != nil {
		return err
	}
	if err := s.backend.flush(); err != nil {
		return errors.Join(errBackendGone, err)
	}
	return nil
}
