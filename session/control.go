package session

import (
	"context"
	"sync"
	"time"
)

// cancelForwardTimeout bounds the connection that carries a cancel to the home server.
const cancelForwardTimeout = 5 * time.Second

// Cancel is a CancelRequest of the client: it ends the statement of ours that waits, and asks the home
// server to cancel what it runs. When nothing runs it does nothing, as in PostgreSQL.
func (s *Session) Cancel(ctx context.Context) {
	s.mu.Lock()
	cancel, b, busy := s.cancel, s.backend, s.busy
	s.mu.Unlock()
	if cancel != nil {
		cancel(errUserCancel)
		return
	}
	if b == nil || !busy && b.quiet() {
		return
	}
	s.cancelHome(ctx)
}

// quiet tells whether the home server has answered everything.
func (b *backend) quiet() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.queue) == 0
}

func (s *Session) cancelHome(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, cancelForwardTimeout)
	defer stop()
	if err := s.home.Cancel(ctx, s.backend.link); err != nil {
		s.log.Warn().Err(err).Msg("cancel did not reach the home database")
	}
}

// Shutdown asks the session to end and reports whether it is idle: then whoever asks interrupts its
// read, and it says good-bye. A session inside a statement or a transaction is asked again.
func (s *Session) Shutdown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shutdown = true
	return !s.busy && (s.backend == nil || s.backend.settled())
}

// Abort ends the statement that runs, because the gateway stops and has waited long enough.
func (s *Session) Abort(ctx context.Context) {
	s.mu.Lock()
	cancel, b := s.cancel, s.backend
	s.shutdown = true
	s.mu.Unlock()
	if cancel != nil {
		cancel(ErrShutdown)
	}
	if b != nil {
		s.cancelHome(ctx)
	}
}

// setBusy notes whether a message of the client is being handled.
func (s *Session) setBusy(busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = busy
}

func (s *Session) isShutdown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shutdown
}

// begin makes the context of a statement of ours: Cancel ends it, and so does a client that goes away.
// end must be called when the statement is over.
func (s *Session) begin(ctx context.Context) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	watched, stop := s.client.Watch(ctx)
	s.unwatch = sync.OnceFunc(stop)
	s.mu.Lock()
	s.cancel = cancel
	s.mu.Unlock()
	return watched, func() {
		s.mu.Lock()
		s.cancel = nil
		s.mu.Unlock()
		s.unwatch()
		s.unwatch = nil
		cancel(nil)
	}
}
