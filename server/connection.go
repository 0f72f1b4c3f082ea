package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/server/wire"
	"github.com/tablewright/tablewright/session"
)

// startupTimeout bounds everything before the first ReadyForQuery, like authentication_timeout.
const startupTimeout = 60 * time.Second

// connection is one accepted client.
type connection struct {
	server *Server
	net    net.Conn
	wire   *wire.Conn

	mu      sync.Mutex
	session *session.Session // nil until startup is over
}

// errNoAnswer ends a connection without a word: a CancelRequest, a port scan, a closed socket.
var errNoAnswer = errors.New("connection ends without an answer")

// serve takes one client from its first byte to its last. A fault in it costs this client only.
func (c *connection) serve(ctx context.Context) {
	log := c.server.opts.Log.With().Str("remote", c.net.RemoteAddr().String()).Logger()
	defer func() {
		if p := recover(); p != nil {
			log.Error().Str("panic", fmt.Sprint(p)).Stack().Msg("session ended by a fault")
		}
	}()
	_ = c.net.SetReadDeadline(time.Now().Add(startupTimeout)) // a dead socket shows at the first read
	startup, err := c.startup(ctx)
	if err == nil {
		err = c.admit(ctx, startup)
	}
	if err != nil {
		c.refuse(err, log)
		return
	}
	if err := c.converse(ctx, startup); err != nil {
		log.Debug().Err(err).Msg("session ended")
	}
}

// startup reads packets until one is a StartupMessage.
func (c *connection) startup(ctx context.Context) (wire.Startup, error) {
	for range wire.StartupRequestsMax {
		packet, err := c.wire.Reader().ReadStartup()
		if err != nil {
			return packet, err
		}
		switch packet.Kind {
		case wire.SSLRequest, wire.GSSEncRequest:
			// Nothing is encrypted yet; the client may go on in clear or leave.
			if err := c.wire.SendByte('N'); err != nil {
				return packet, err
			}
		case wire.CancelRequest:
			c.server.cancels.cancel(ctx, packet.ProcessID, packet.SecretKey)
			return packet, errNoAnswer
		case wire.StartupMessage:
			return packet, nil
		}
	}
	return wire.Startup{}, errNoAnswer
}

// admit negotiates the version and decides whether the client may come in.
func (c *connection) admit(ctx context.Context, startup wire.Startup) error {
	if startup.Minor > 0 || len(startup.Unknown) > 0 {
		if err := c.wire.SendNegotiateProtocolVersion(startup.Unknown); err != nil {
			return err
		}
	}
	if c.server.isDraining() {
		return sqlerr.New(sqlerr.CannotConnectNow, "the database system is shutting down")
	}
	if err := c.server.opts.Ready(ctx); err != nil {
		return err
	}
	return c.server.opts.Auth.Authenticate(ctx, c.net.RemoteAddr(), startup.User(), startup.Database())
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

// converse greets an admitted client and serves its session.
func (c *connection) converse(ctx context.Context, startup wire.Startup) error {
	id := identity(c.net.RemoteAddr(), startup)
	s := c.server.opts.NewSession(id, c.wire)
	defer s.Close()
	statuses, err := s.Start(ctx, c.server.opts.Auth.ParameterStatuses())
	if err != nil {
		c.refuse(err, c.server.opts.Log)
		return err
	}
	pid, secret, err := c.server.cancels.add(s)
	if err != nil {
		return err
	}
	defer c.server.cancels.remove(pid)
	if err := c.greet(statuses, pid, secret); err != nil {
		return err
	}
	if err := c.net.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	c.mu.Lock()
	c.session = s
	c.mu.Unlock()
	return s.Run(ctx)
}

// greet sends what a client waits for before its first statement.
func (c *connection) greet(statuses map[string]string, pid, secret uint32) error {
	if err := c.wire.SendAuthenticationOk(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(statuses)) {
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
		_ = c.net.SetReadDeadline(time.Unix(1, 0)) // wakes the session's read; it says good-bye itself
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
