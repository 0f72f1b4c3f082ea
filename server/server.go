// Package server accepts PostgreSQL clients: startup, authentication, cancel requests, limits and the
// orderly end. It knows no SQL; each client's statements are its session's.
package server

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/tablewright/tablewright/server/wire"
	"github.com/tablewright/tablewright/session"
)

// Authenticator decides whether a client may be who it says.
type Authenticator interface {
	// Authenticate returns nil, or the error that the client is sent before the connection is closed.
	Authenticate(ctx context.Context, remote net.Addr, user, database string) error
	// ParameterStatuses are the settings that a fresh session reports.
	ParameterStatuses() map[string]string
}

// Options of a Server.
type Options struct {
	// Auth decides about clients.
	Auth Authenticator
	// Serve converses with one client until it leaves.
	NewSession func(id session.Identity, client session.Client) *session.Session
	// Ready tells whether sessions can be served now; a client that comes too early is sent the error.
	Ready func(ctx context.Context) error
	// DrainTimeout is how long busy sessions may go on after Serve's context has ended.
	DrainTimeout time.Duration
	Log          zerolog.Logger
}

// Server is the front door. Every accepted connection is served by one goroutine, which Serve waits for.
type Server struct {
	opts    Options
	cancels *cancelRegistry

	mu       sync.Mutex
	conns    map[*connection]struct{}
	draining bool
	wg       sync.WaitGroup
}

// New returns a server that serves nothing yet.
func New(opts Options) *Server {
	return &Server{opts: opts, cancels: newCancelRegistry(), conns: map[*connection]struct{}{}}
}

// Serve accepts clients until ctx ends, then drains: it stops accepting, ends idle sessions with 57P01,
// lets busy ones go on for the drain time and then cancels them. It returns when every session has ended.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	accepted := make(chan error, 1)
	serveCtx := context.WithoutCancel(ctx)
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
	conn := &connection{server: s, net: c, wire: wire.NewConn(c)}
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
