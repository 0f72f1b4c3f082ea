// Package server accepts PostgreSQL clients: startup, authentication, cancel requests, limits and the
// orderly end. It knows no SQL; each client's statements are its session's.
package server

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/limits"
	"github.com/tablewright/tablewright/server/wire"
	"github.com/tablewright/tablewright/session"
	"github.com/tablewright/tablewright/socket"
)

// Options of a Server.
type Options struct {
	// Access is who may come in at first; see SetAccess.
	Access *Access
	Roles  Roles
	// Database is the database that clients see.
	Database string
	// Statuses are the settings that a fresh session reports.
	Statuses func() map[string]string
	// NewSession makes the session of an admitted client.
	NewSession func(id session.Identity, client session.Client) *session.Session
	// CancelElsewhere passes a cancel on whose session is not this server's.
	CancelElsewhere func(ctx context.Context, pid, secret uint32)
	// DrainTimeout is how long busy sessions may go on after Serve's context has ended.
	DrainTimeout time.Duration
	Limits       limits.Limits
	Log          zerolog.Logger
}

// Server is the front door. Every accepted connection is served by one goroutine, which Serve waits for, as
// for the one that looks after all of them once a second.
type Server struct {
	opts    Options
	access  atomic.Pointer[Access]
	cancels *cancelRegistry
	rates   *rates

	mu       sync.Mutex
	conns    map[*connection]struct{}
	users    map[string]int // sessions of each role
	draining bool
	wg       sync.WaitGroup
}

// New returns a server that serves nothing yet.
func New(opts Options) *Server {
	perSecond := opts.Limits.ConnectionsPerSecondMax
	s := &Server{
		opts: opts, cancels: newCancelRegistry(opts.CancelElsewhere), rates: newRates(perSecond, connectionBurst*perSecond),
		conns: map[*connection]struct{}{}, users: map[string]int{},
	}
	s.access.Store(opts.Access)
	return s
}

// connectionBurst is how many seconds' worth of connections may come at once.
const connectionBurst = 10

// SetAccess replaces who may come in from now on.
func (s *Server) SetAccess(a *Access) { s.access.Store(a) }

// Cancel cancels what a session of this server runs; fits tells whether a secret is the one asked for.
func (s *Server) Cancel(ctx context.Context, pid uint32, fits func(secret uint32) bool) bool {
	return s.cancels.cancel(ctx, pid, fits)
}

// admitConnection refuses one connection too many, before anything is read from it.
func (s *Server) admitConnection(from net.Addr) error {
	if !s.rates.allow(from) {
		return sqlerr.New(sqlerr.TooManyConnections, "too many connections from %s in a short time", addressOf(from))
	}
	if s.Sessions() > s.opts.Limits.SessionsMax+limits.StartupsMax {
		return sqlerr.New(sqlerr.TooManyConnections, "sorry, too many clients already")
	}
	return nil
}

// Serve accepts clients until ctx ends, then drains: it stops accepting, ends idle sessions with 57P01,
// lets busy ones go on for the drain time and then cancels them. It returns when every session has ended.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	accepted := make(chan error, 1)
	serveCtx := context.WithoutCancel(ctx)
	stopPulse := s.startPulse()
	defer stopPulse()
	go func() { accepted <- s.accept(serveCtx, ln) }()
	select {
	case err := <-accepted:
		s.drain(serveCtx)
		return err
	case <-ctx.Done():
	}
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	closeErr := ln.Close()
	err := <-accepted
	s.drain(serveCtx)
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return closeErr
}

func (s *Server) accept(ctx context.Context, ln net.Listener) error {
	for {
		c, err := ln.Accept()
		if err != nil {
			if isTemporary(err) {
				s.opts.Log.Warn().Err(err).Msg("accept failed, trying again")
				pause(ctx, acceptRetryDelay)
				continue
			}
			return err
		}
		s.start(ctx, c)
	}
}

func (s *Server) start(ctx context.Context, c net.Conn) {
	conn := &connection{server: s, net: c, wire: wire.NewConn(socket.Wrap(c), s.opts.Limits.WriteTimeout)}
	s.mu.Lock()
	s.conns[conn] = struct{}{}
	s.wg.Add(1)
	s.mu.Unlock()
	go func() {
		defer s.wg.Done()
		defer s.forget(conn)
		conn.serve(ctx)
	}()
}

func (s *Server) forget(conn *connection) {
	_ = conn.net.Close() // the client may have closed it already
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, conn)
}

// Sessions is the number of clients connected now.
func (s *Server) Sessions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

func (s *Server) isDraining() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.draining
}

// Collector counts the clients connected now.
func (s *Server) Collector() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "tablewright_connections_open", Help: "Client connections that are open, those in startup included.",
	}, func() float64 { return float64(s.Sessions()) })
}

// Ready tells whether clients are accepted; the error says why not.
func (s *Server) Ready(context.Context) error {
	if s.isDraining() {
		return errors.New("draining")
	}
	return nil
}
