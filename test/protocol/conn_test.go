package protocol

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/test/gatewaytest"
)

// answerMax is how long a server may take for a message that a script waits for.
const answerMax = 20 * time.Second

// client is a connection that speaks the protocol one frame at a time.
type client struct {
	net.Conn
	r        *bufio.Reader
	pid      uint32
	secret   uint32
	greeting []frame
}

// frame is one message of the server.
type frame struct {
	typ  byte
	body []byte
}

func dial(ctx context.Context, address string) (*client, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &client{Conn: conn, r: bufio.NewReader(conn)}, nil
}

// connect logs in as the scripts' role.
func connect(ctx context.Context, address string, parameters map[string]string) (*client, error) {
	c, err := dial(ctx, address)
	if err != nil {
		return nil, err
	}
	startup := pgproto3.StartupMessage{
		ProtocolVersion: pgproto3.ProtocolVersion30,
		Parameters:      map[string]string{"user": user, "database": gatewaytest.Database},
	}
	maps.Copy(startup.Parameters, parameters)
	hello, err := startup.Encode(nil)
	if err != nil {
		return nil, err
	}
	if _, err := c.Write(hello); err != nil {
		return nil, err
	}
	for {
		f, err := c.read()
		if err != nil {
			return nil, fmt.Errorf("login: %w", err)
		}
		c.greeting = append(c.greeting, f)
		switch f.typ {
		case 'K':
			c.pid, c.secret = binary.BigEndian.Uint32(f.body), binary.BigEndian.Uint32(f.body[4:])
		case 'E':
			return nil, fmt.Errorf("login: %s", render(f))
		case 'Z':
			return c, nil
		}
	}
}

// read takes one message of the server.
func (c *client) read() (frame, error) {
	if err := c.SetReadDeadline(time.Now().Add(answerMax)); err != nil {
		return frame{}, err
	}
	var head [5]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		return frame{}, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n < 4 || n > 1<<28 {
		return frame{}, fmt.Errorf("message %q of length %d", head[0], n)
	}
	body := make([]byte, n-4)
	_, err := io.ReadFull(c.r, body)
	return frame{head[0], body}, err
}

// exec runs a Query; its first error is returned.
func (c *client) exec(sql string) error {
	if err := c.send(&pgproto3.Query{String: sql}); err != nil {
		return err
	}
	var failed error
	for {
		f, err := c.read()
		if err != nil {
			return errors.Join(failed, err)
		}
		switch f.typ {
		case 'E':
			failed = errors.New(render(f))
		case 'Z':
			return failed
		}
	}
}

// send writes messages in one piece.
func (c *client) send(messages ...pgproto3.FrontendMessage) error {
	var out []byte
	for _, m := range messages {
		var err error
		if out, err = m.Encode(out); err != nil {
			return err
		}
	}
	return c.write(out)
}

func (c *client) write(b []byte) error {
	if err := c.SetWriteDeadline(time.Now().Add(answerMax)); err != nil {
		return err
	}
	_, err := c.Write(b)
	return err
}

// close says good-bye and returns what the server had sent that nobody has read.
func (c *client) close() []frame {
	// The server may have ended the connection itself.
	_ = c.send(&pgproto3.Terminate{})
	var rest []frame
	for {
		f, err := c.read()
		if err != nil {
			_ = c.Close()
			return rest
		}
		rest = append(rest, f)
	}
}

// isEnd tells whether a connection was ended by the server.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || err != nil && strings.Contains(err.Error(), "connection reset")
}
