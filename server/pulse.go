package server

import (
	"net"
	"time"

	"github.com/tablewright/tablewright/limits"
)

// pulseInterval is how often connections are looked after.
const pulseInterval = time.Second

// attention is what the pulse remembers of a connection between two beats.
type attention struct {
	busyAt  time.Time // when the session was last seen to do something
	handled uint64    // messages that it had dealt with then
	watched bool      // the kernel asks the client whether it is there
}

// startPulse looks after all connections once a second until the returned function is called: clients of
// running statements are watched, and sessions that have been idle for too long end.
func (s *Server) startPulse() (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(pulseInterval)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case now := <-tick.C:
				s.each(func(c *connection) { c.lookAfter(now) })
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// lookAfter is one beat for one connection.
func (c *connection) lookAfter(now time.Time) {
	c.mu.Lock()
	s := c.session
	c.mu.Unlock()
	if s == nil {
		return
	}
	busy, inTransaction, handled := s.Busy()
	if busy != c.watched {
		c.watched = busy
		setKeepAlive(c.net, busy)
	}
	if busy || inTransaction || handled != c.handled || c.busyAt.IsZero() {
		c.busyAt, c.handled = now, handled
		return
	}
	timeout := c.server.opts.Limits.IdleSessionTimeout
	if timeout > 0 && now.Sub(c.busyAt) >= timeout && s.EndIdle() {
		c.wire.Interrupt()
	}
}

// setKeepAlive makes the kernel ask whether the client is still there: often while a statement runs, so that
// one that has vanished without a word is noticed in time.
func setKeepAlive(conn net.Conn, often bool) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return
	}
	config := net.KeepAliveConfig{Enable: true, Idle: limits.QuietKeepAlive, Interval: limits.QuietKeepAlive, Count: 3}
	if often {
		config = net.KeepAliveConfig{
			Enable: true, Idle: limits.KeepAliveIdle, Interval: limits.KeepAliveInterval, Count: limits.KeepAliveCount,
		}
	}
	_ = tcp.SetKeepAliveConfig(config) // of a socket that has ended: its read says so
}
