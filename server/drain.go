package server

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"

	"github.com/tablewright/tablewright/limits"
)

const (
	// acceptRetryDelay is the pause after an accept that failed for want of a resource.
	acceptRetryDelay = 50 * time.Millisecond
	// drainPollInterval is how often busy sessions are asked whether they have become idle.
	drainPollInterval = 25 * time.Millisecond
)

// drain ends all sessions: idle ones now, busy ones when they become idle, or by cancelling them after
// the drain time.
func (s *Server) drain(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		s.wg.Wait()
		close(done)
	}()
	abort := time.After(s.opts.DrainTimeout)
	var closeAll <-chan time.Time
	tick := time.NewTicker(drainPollInterval)
	defer tick.Stop()
	s.endIdle()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			s.endIdle()
		case <-abort:
			s.each(func(c *connection) { c.abort(ctx) })
			closeAll = time.After(limits.AbortGraceMax)
		case <-closeAll:
			s.each(func(c *connection) { _ = c.net.Close() })
		}
	}
}

func (s *Server) endIdle() { s.each(func(c *connection) { c.endIfIdle() }) }

func (s *Server) each(do func(*connection)) {
	s.mu.Lock()
	conns := make([]*connection, 0, len(s.conns))
	for c := range s.conns {
		conns = append(conns, c)
	}
	s.mu.Unlock()
	for _, c := range conns {
		do(c)
	}
}

// isTemporary tells whether accepting again may succeed: the process or system ran out of descriptors
// or memory, or the client was gone already.
func isTemporary(err error) bool {
	for _, e := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED} {
		if errors.Is(err, e) {
			return true
		}
	}
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
