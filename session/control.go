package session

import (
	"context"
	"sync"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/limits"
)

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
	ctx, stop := context.WithTimeout(ctx, limits.CancelForwardMax)
	defer stop()
	if err := s.home.Cancel(ctx, s.backend.link); err != nil {
		s.log.Warn().Err(err).Msg("cancel did not reach the home database")
	}
}

// Shutdown asks the session to end and reports whether it is idle, in a transaction or not: then whoever
// asks interrupts its read, and it says good-bye. A session inside a statement is asked again.
func (s *Session) Shutdown() bool { return s.endWith(ErrShutdown) }

// EndIdle ends a session that has been idle for too long, like Shutdown.
func (s *Session) EndIdle() bool { return s.endWith(errIdleSession) }

func (s *Session) endWith(why *sqlerr.Error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	idle := !s.busy && (s.backend == nil || s.backend.quiet())
	if s.ending == nil && (idle || why == ErrShutdown) {
		s.ending = why
	}
	return idle
}

// Busy tells whether a statement runs, whether a transaction is open, and how many messages of the client
// have been dealt with.
func (s *Session) Busy() (busy, inTransaction bool, handled uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.backend == nil {
		return s.busy, false, s.handled
	}
	return s.busy || !s.backend.quiet(), s.backend.state() != 'I', s.handled
}

// HomePID is the process id of the home connection, 0 while there is none.
func (s *Session) HomePID() uint32 {
	if s.backend == nil {
		return 0
	}
	return s.backend.link.PID
}

// abandon cancels what the home server still runs for a client that has gone without a good-bye: nobody
// waits for it.
func (s *Session) abandon(ctx context.Context) {
	if s.backend != nil && !s.backend.quiet() {
		s.cancelHome(ctx)
	}
}

// Abort ends the statement that runs, because the gateway stops and has waited long enough.
func (s *Session) Abort(ctx context.Context) {
	s.mu.Lock()
	cancel, b := s.cancel, s.backend
	s.ending, s.aborted = ErrShutdown, true
	s.mu.Unlock()
	if cancel != nil {
		cancel(ErrShutdown)
	}
	s.client.Interrupt() // it may wait for its client, in a transaction or for data of a COPY
	if b != nil {
		s.cancelHome(ctx)
	}
}

// attend watches the client while the session waits for the home server outside a statement of ours: when
// the client goes away, what runs there is cancelled. The returned function ends the watch.
func (s *Session) attend(ctx context.Context) (stop func()) {
	if s.unwatch != nil {
		return func() {} // it is watched already
	}
	ctx, cancel := context.WithCancel(ctx)
	watched, unwatch := s.client.Watch(ctx)
	forget := context.AfterFunc(watched, func() { s.cancelHome(context.WithoutCancel(ctx)) })
	return func() {
		forget()
		unwatch()
		cancel()
	}
}

// setBusy notes that messages of the client have come.
func (s *Session) setBusy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = true
}

// setIdle notes that so many have been dealt with, and tells whether the session has to end now, whatever its
// client is in the middle of.
func (s *Session) setIdle(messages int) (aborted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = false
	s.handled += uint64(messages) //nolint:gosec // a count
	return s.aborted
}

// mustEnd tells whether nothing more may be begun.
func (s *Session) mustEnd() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.aborted || s.backend != nil && s.backend.isGone()
}

func (s *Session) isEnding() *sqlerr.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ending
}

// begin makes the context of a statement of ours: Cancel ends it, and so does a client that goes away while
// it is watched. end must be called when the statement is over.
func (s *Session) begin(ctx context.Context) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	watched, stop := s.client.Watch(ctx)
	// The statement goes on when the watch alone ends: then its client sends data.
	forget := context.AfterFunc(watched, func() { cancel(context.Cause(watched)) })
	s.unwatch = sync.OnceFunc(func() {
		forget()
		stop()
	})
	s.mu.Lock()
	s.cancel = cancel
	s.mu.Unlock()
	return ctx, func() {
		s.mu.Lock()
		s.cancel = nil
		s.mu.Unlock()
		s.unwatch()
		s.unwatch = nil
		cancel(nil)
	}
}
