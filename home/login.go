package home

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/socket"
)

// Login says who opens a connection and how.
type Login struct {
	User     string
	Database string            // empty means the home database
	Params   map[string]string // startup parameters besides user and database, sent as they are
	// Keys proves the identity where the home database asks for SCRAM; an embedded one does not.
	Keys *ScramKeys
}

// Conn is a connection of a session, after authentication and up to the first ReadyForQuery. What comes after that
// message is still to be read.
type Conn struct {
	net.Conn
	PID       uint32
	SecretKey []byte
	// Greeting holds the ParameterStatus and NoticeResponse messages that the server sent, as it sent
	// them and in its order.
	Greeting          []byte
	ParameterStatuses map[string]string
	TxStatus          byte

	target  target
	startup *bufio.Reader // of the answers up to ReadyForQuery, which are many and short
}

// startupReadBytes holds all that a server says while a session begins; a message may be longer.
const startupReadBytes = 1 << 10

// Terminate says goodbye and closes the connection.
func (c *Conn) Terminate() error {
	// The server may have closed its end already.
	_, _ = c.Write([]byte{'X', 0, 0, 0, 4})
	return c.Close()
}

// startupFrameMax bounds a message of the startup phase, in bytes.
const startupFrameMax = 1 << 20

// ConnectAs opens a connection as a role: the role itself logs in, so that nothing can make the session
// another one. See Login for the parameters. An error that the home database answers is returned as the
// *pgconn.PgError that it is; when it cannot be reached the error is a 57P03.
func (h *Home) ConnectAs(ctx context.Context, user, database string, params map[string]string) (*Conn, error) {
	return h.Login(ctx, Login{User: user, Database: database, Params: params})
}

// Login is ConnectAs with a proof of identity.
func (h *Home) Login(ctx context.Context, l Login) (*Conn, error) {
	if l.User == h.endpoint.user || strings.HasPrefix(l.User, "pg_") {
		// The trust of the socket is the gateway's own; no client may use it for that role.
		return nil, fatal(sqlerr.InvalidAuthorization, fmt.Sprintf("role \"%s\" is not permitted to log in", l.User))
	}
	switch l.Database {
	case "", "postgres", "template1": // what clients ask for that know no other
		l.Database = h.endpoint.database
	case h.endpoint.database:
	default:
		// Another database of the server has no guard, and is nobody's to see through the gateway.
		return nil, fatal(sqlerr.InvalidCatalogName, fmt.Sprintf("database \"%s\" does not exist", l.Database))
	}
	return h.login(ctx, l)
}

func fatal(code, message string) *pgconn.PgError {
	return &pgconn.PgError{Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: code, Message: message}
}

// login tries the addresses in turn until one answers.
func (h *Home) login(ctx context.Context, l Login) (*Conn, error) {
	var failures []error
	for _, t := range h.endpoint.targets {
		conn, err := t.login(ctx, l)
		if err == nil && conn.ParameterStatuses["in_hot_standby"] == "on" {
			err = errors.Join(fmt.Errorf("%s is a standby", t.address), conn.Terminate())
		}
		if err == nil {
			return conn, nil
		}
		if answered, ok := errors.AsType[*pgconn.PgError](err); ok {
			return nil, answered
		}
		failures = append(failures, err)
	}
	err := errors.Join(failures...)
	return nil, sqlerr.New(sqlerr.CannotConnectNow, "the home database does not answer").WithCause(err)
}

func (t target) login(ctx context.Context, l Login) (*Conn, error) {
	conn, err := t.dial(ctx)
	if err != nil {
		return nil, err
	}
	stop := watch(ctx, conn)
	c := &Conn{
		Conn: conn, ParameterStatuses: make(map[string]string), target: t, startup: bufio.NewReaderSize(conn, startupReadBytes),
	}
	err = c.begin(l)
	stop()
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	c.Conn, c.startup = socket.Replay(conn, c.startup), nil
	return c, nil
}

// begin speaks the protocol from the startup message to ReadyForQuery.
func (c *Conn) begin(l Login) error {
	startup := pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{}}
	maps.Copy(startup.Parameters, l.Params)
	startup.Parameters["user"], startup.Parameters["database"] = l.User, l.Database
	if err := c.send(&startup); err != nil {
		return err
	}
	auth := &authenticator{conn: c, keys: l.Keys}
	for {
		kind, frame, err := c.readFrame()
		if err != nil {
			return err
		}
		body := frame[5:]
		switch kind {
		case 'R':
			err = auth.answer(body)
		case 'S':
			err = c.parameterStatus(frame)
		case 'N':
			c.Greeting = append(c.Greeting, frame...)
		case 'K':
			err = c.backendKey(body)
		case 'E':
			err = decodeError(body)
		case 'Z':
			return c.ready(body, auth)
		default:
			err = fmt.Errorf("unexpected message %q of the home database", kind)
		}
		if err != nil {
			return err
		}
	}
}

func (c *Conn) ready(body []byte, auth *authenticator) error {
	if len(body) != 1 || !auth.done {
		return errors.New("the home database was ready before it had authenticated")
	}
	c.TxStatus = body[0]
	return nil
}

func (c *Conn) parameterStatus(frame []byte) error {
	var status pgproto3.ParameterStatus
	if err := status.Decode(frame[5:]); err != nil {
		return fmt.Errorf("parameter status: %w", err)
	}
	c.ParameterStatuses[status.Name] = status.Value
	c.Greeting = append(c.Greeting, frame...)
	return nil
}

func (c *Conn) backendKey(body []byte) error {
	if len(body) < 8 {
		return errors.New("backend key data is too short")
	}
	c.PID = binary.BigEndian.Uint32(body)
	c.SecretKey = slices.Clone(body[4:])
	return nil
}

func decodeError(body []byte) error {
	var response pgproto3.ErrorResponse
	if err := response.Decode(body); err != nil {
		return fmt.Errorf("error response: %w", err)
	}
	return pgconn.ErrorResponseToPgError(&response)
}

// readFrame reads one message of the startup.
func (c *Conn) readFrame() (byte, []byte, error) {
	header := make([]byte, 5)
	if _, err := io.ReadFull(c.startup, header); err != nil {
		return 0, nil, fmt.Errorf("answer of the home database: %w", err)
	}
	length := binary.BigEndian.Uint32(header[1:])
	if length < 4 || length > startupFrameMax {
		return 0, nil, fmt.Errorf("message of %d bytes during login at the home database", length)
	}
	frame := make([]byte, 1+length)
	copy(frame, header)
	if _, err := io.ReadFull(c.startup, frame[5:]); err != nil {
		return 0, nil, fmt.Errorf("answer of the home database: %w", err)
	}
	return header[0], frame, nil
}

func (c *Conn) send(message pgproto3.FrontendMessage) error {
	frame, err := message.Encode(nil)
	if err != nil {
		return fmt.Errorf("login at the home database: %w", err)
	}
	if _, err := c.Write(frame); err != nil {
		return fmt.Errorf("login at the home database: %w", err)
	}
	return nil
}
