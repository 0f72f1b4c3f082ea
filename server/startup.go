package server

import (
	"context"
	"errors"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/server/wire"
)

// errNoAnswer ends a connection without a word: a CancelRequest, a port scan, a closed socket.
var errNoAnswer = errors.New("connection ends without an answer")

// startup reads packets until one is a StartupMessage. Each kind of encryption may be asked for once.
func (c *connection) startup(ctx context.Context) (wire.Startup, error) {
	if direct, err := c.wire.Reader().BeginsWithTLS(); err != nil {
		return wire.Startup{}, err
	} else if direct {
		if err := c.encryptDirectly(ctx); err != nil {
			return wire.Startup{}, err
		}
	}
	askedTLS, askedGSS := c.peer.encrypted, c.peer.encrypted
	for {
		packet, err := c.wire.Reader().ReadStartup()
		if err != nil {
			return packet, err
		}
		switch packet.Kind {
		case wire.SSLRequest:
			if askedTLS {
				return packet, packet.Unsupported()
			}
			askedTLS = true
			if err := c.answerSSLRequest(ctx); err != nil {
				return packet, err
			}
			askedGSS = askedGSS || c.peer.encrypted
		case wire.GSSEncRequest:
			if askedGSS {
				return packet, packet.Unsupported()
			}
			askedGSS = true
			if err := c.refuseEncryption("GSSAPI encryption"); err != nil {
				return packet, err
			}
		case wire.CancelRequest:
			c.server.cancels.request(ctx, c.net.RemoteAddr(), packet.ProcessID, packet.SecretKey)
			return packet, errNoAnswer
		case wire.StartupMessage:
			return packet, nil
		}
	}
}

// answerSSLRequest encrypts the connection, or says that it stays in clear.
func (c *connection) answerSSLRequest(ctx context.Context) error {
	t := c.server.access.Load().TLS
	if t == nil {
		return c.refuseEncryption("SSL")
	}
	early := c.wire.Buffered()
	if err := c.wire.SendByte('S'); err != nil {
		return err
	}
	encrypted, err := c.wire.Encrypt(ctx, t.config, false)
	if err != nil {
		return err
	}
	c.peer = newPeer(t, encrypted.ConnectionState())
	if early {
		return earlyData("SSL")
	}
	return nil
}

// refuseEncryption says that the connection stays in clear. A client has to wait for that.
func (c *connection) refuseEncryption(kind string) error {
	early := c.wire.Buffered()
	if err := c.wire.SendByte('N'); err != nil {
		return err
	}
	if early {
		return earlyData(kind)
	}
	return nil
}

// earlyData is the answer to bytes behind a request for encryption that came before its answer: they did not
// come encrypted, and somebody between us may have put them there.
func earlyData(kind string) error {
	return sqlerr.New(sqlerr.ProtocolViolation, "received unencrypted data after %s request", kind).
		WithDetail("This could be either a client-software bug or evidence of an attempted man-in-the-middle attack.")
}

// encryptDirectly takes a client that begins with TLS. It must name the protocol, so that nobody can make a
// client of another one send its bytes here.
func (c *connection) encryptDirectly(ctx context.Context) error {
	t := c.server.access.Load().TLS
	if t == nil {
		return errNoDirectTLS
	}
	encrypted, err := c.wire.Encrypt(ctx, t.config, true)
	if err != nil {
		return err
	}
	state := encrypted.ConnectionState()
	if state.NegotiatedProtocol != ALPN {
		return errNoALPN
	}
	c.peer = newPeer(t, state)
	return nil
}

// admit negotiates the version and decides whether the client may come in.
func (c *connection) admit(ctx context.Context, startup wire.Startup) (*admission, error) {
	if startup.Minor > 0 || len(startup.Unknown) > 0 {
		if err := c.wire.SendNegotiateProtocolVersion(startup.Unknown); err != nil {
			return nil, err
		}
	}
	switch s := c.server; {
	case s.isDraining():
		return nil, sqlerr.New(sqlerr.CannotConnectNow, "the database system is shutting down")
	case s.Sessions() > s.opts.Limits.SessionsMax:
		return nil, sqlerr.New(sqlerr.TooManyConnections, "sorry, too many clients already")
	case replicates(startup.Parameters["replication"]):
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "replication connections are not supported")
	}
	keys, role, err := c.server.authenticate(ctx, &applicant{
		wire: c.wire, remote: c.net.RemoteAddr(), local: c.net.LocalAddr(), peer: c.peer,
		user: startup.User(), database: startup.Database(),
	})
	if err != nil {
		return nil, err
	}
	leave, err := c.server.enter(startup.User(), role.ConnLimit)
	if err != nil {
		return nil, err
	}
	return &admission{keys: keys, leave: leave}, nil
}

// replicates tells whether the startup parameter asks for a replication connection.
func replicates(value string) bool {
	switch value {
	case "", "0", "f", "false", "off", "no", "n":
		return false
	default:
		return true
	}
}
