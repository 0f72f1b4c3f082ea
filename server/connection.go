package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/server/wire"
	"github.com/tablewright/tablewright/session"
)

// connection is one accepted client.
type connection struct {
	server *Server
	net    net.Conn
	wire   *wire.Conn
	peer   peer // since startup

	mu      sync.Mutex
	session *session.Session // nil until startup is over

	attention // the pulse's own
}

// serve takes one client from its first byte to its last. A fault in it costs this client only.
func (c *connection) serve(ctx context.Context) {
	log := c.server.opts.Log.With().Str("remote", c.net.RemoteAddr().String()).Logger()
	defer func() {
		if p := recover(); p != nil {
			log.Error().Str("panic", fmt.Sprint(p)).Stack().Msg("session ended by a fault")
		}
	}()
	timeout := c.server.opts.Limits.AuthenticationTimeout
	_ = c.net.SetReadDeadline(time.Now().Add(timeout)) // a dead socket shows at the first read
	entry, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := c.server.admitConnection(c.net.RemoteAddr()); err != nil {
		c.refuse(err, log)
		return
	}
	startup, err := c.startup(entry)
	if err != nil {
		c.refuse(err, log)
		return
	}
	admission, err := c.admit(entry, startup)
	if err != nil {
		c.refuse(err, log.With().Str("user", startup.User()).Str("database", startup.Database()).Logger())
		return
	}
	defer admission.leave()
	s, err := c.greet(entry, startup, admission.keys, log)
	if err != nil {
		log.Debug().Err(err).Msg("session did not begin")
		return
	}
	cancel()
	defer s.end()
	if err := s.session.Run(ctx); err != nil {
		log.Debug().Err(err).Msg("session ended")
	}
}

// refuse tells the client why it cannot come in. Garbage gets no answer.
func (c *connection) refuse(err error, log zerolog.Logger) {
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		log.Debug().Err(err).Msg("connection refused without an answer")
		return
	}
	log.Info().Str("sqlstate", e.Code).Str("err", e.Message).Msg("connection refused")
	if err := c.wire.Send(session.FatalReply{Err: e}); err != nil {
		return
	}
	_ = c.wire.Flush() // it is closed next; whether the client still listens makes no difference
}

// greeted is a session that has been greeted.
type greeted struct {
	session *session.Session
	end     func()
}

// greet makes an admitted client's session and sends what the client waits for before its first statement.
func (c *connection) greet(ctx context.Context, startup wire.Startup, keys *home.ScramKeys, log zerolog.Logger) (_ *greeted, err error) {
	id := identity(c.net.RemoteAddr(), startup)
	id.Keys = keys
	s := c.server.opts.NewSession(id, c.wire)
	g := &greeted{session: s, end: s.Close}
	defer func() {
		if err != nil {
			g.end()
		}
	}()
	// As PostgreSQL does: settings that the client asks for are judged after it has been let in.
	if err := c.wire.SendAuthenticationOk(); err != nil {
		return nil, err
	}
	statuses, err := s.Start(ctx, c.server.opts.Statuses())
	if err != nil {
		c.refuse(err, log)
		return nil, err
	}
	pid, secret, err := c.server.cancels.add(s, s.HomePID())
	if err != nil {
		return nil, err
	}
	g.end = func() {
		c.server.cancels.remove(pid)
		s.Close()
	}
	if err := c.sendGreeting(statuses, pid, secret); err != nil {
		return nil, err
	}
	if err := c.net.SetReadDeadline(time.Time{}); err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.session = s
	c.mu.Unlock()
	return g, nil
}

// sendGreeting sends what follows AuthenticationOk.
func (c *connection) sendGreeting(statuses map[string]string, pid, secret uint32) error {
	// In PostgreSQL's order.
	byName := func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) }
	for _, name := range slices.SortedFunc(maps.Keys(statuses), byName) {
		if err := c.wire.Send(session.ParameterStatus{Name: name, Value: statuses[name]}); err != nil {
			return err
		}
	}
	if err := c.wire.SendBackendKeyData(pid, secret); err != nil {
		return err
	}
	if err := c.wire.Send(session.Ready{Status: 'I'}); err != nil {
		return err
	}
	return c.wire.Flush()
}

// identity is who the session is for. The startup parameters go to the home database as they are, but
// for the names that are no settings.
func identity(remote net.Addr, startup wire.Startup) session.Identity {
	parameters := map[string]string{}
	for name, value := range startup.Parameters {
		switch name {
		case "user", "database", "replication":
		default:
			parameters[name] = value
		}
	}
	return session.Identity{
		SessionID:  uuid.NewString(),
		User:       startup.User(),
		Database:   startup.Database(),
		RemoteAddr: remote.String(),
		Parameters: parameters,
	}
}

// endIfIdle says good-bye to an idle client; one still in startup is closed.
func (c *connection) endIfIdle() {
	c.mu.Lock()
	s := c.session
	c.mu.Unlock()
	if s == nil {
		_ = c.net.Close()
		return
	}
	if s.Shutdown() {
		c.wire.Interrupt() // the session says good-bye itself
	}
}

func (c *connection) abort(ctx context.Context) {
	c.mu.Lock()
	s := c.session
	c.mu.Unlock()
	if s != nil {
		s.Abort(ctx)
	}
}
