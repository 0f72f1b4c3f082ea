package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/tablewright/tablewright/limits"
	"github.com/tablewright/tablewright/session"
	"github.com/tablewright/tablewright/session/buffer"
	"github.com/tablewright/tablewright/socket"
)

// Conn is a client's connection past its startup: a frame reader and a buffered writer. It implements
// session.Client.
type Conn struct {
	net          net.Conn
	reader       *Reader
	writeTimeout time.Duration

	mu       sync.Mutex // guards what follows, and writes
	out      buffer.Out
	deadline time.Time // of writes, as last set
}

// NewConn wraps a connection; startup packets are read from the returned Conn's Reader. A client that does
// not take what it is sent within writeTimeout is given up.
func NewConn(c net.Conn, writeTimeout time.Duration) *Conn {
	return &Conn{net: c, reader: NewReader(c), writeTimeout: writeTimeout}
}

// Encrypt goes on over TLS. When the client began with TLS at once, what has been read of its first record
// is handed on; otherwise nothing may have been read beyond the request. It is called before the session
// begins, by the only goroutine that uses c.
func (c *Conn) Encrypt(ctx context.Context, config *tls.Config, direct bool) (*tls.Conn, error) {
	raw := c.net
	if direct {
		raw = socket.Replay(c.net, c.reader.r)
	}
	encrypted := tls.Server(raw, config)
	if err := encrypted.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	c.net, c.reader = encrypted, NewReader(encrypted)
	return encrypted, nil
}

// Reader reads what the client sends.
func (c *Conn) Reader() *Reader { return c.reader }

// Receive returns the client's next message.
func (c *Conn) Receive() (session.Frame, error) { return c.reader.Next() }

// Decode reads the body of a message.
func (c *Conn) Decode(f session.Frame) (session.Request, error) { return Decode(f) }

// Buffered tells whether more of the client's bytes have arrived.
func (c *Conn) Buffered() bool { return c.reader.Buffered() > 0 }

// Whole tells whether the client's next message has arrived as a whole.
func (c *Conn) Whole() bool { return c.reader.Whole() }

// Forward buffers a frame, and sends the buffer when it is full.
func (c *Conn) Forward(f session.Frame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.Set(appendFrame(c.out.Take(), f.Type, f.Body))
	return c.sendIfFull()
}

// Send buffers messages of our own.
func (c *Conn) Send(replies ...session.Reply) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range replies {
		out, err := appendReply(c.out.Take(), r)
		if err != nil {
			return err
		}
		c.out.Set(out)
	}
	return c.sendIfFull()
}

// Flush sends what is buffered.
func (c *Conn) Flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.send()
}

func (c *Conn) sendIfFull() error {
	if c.out.Len() < limits.WriteBufferBytes {
		return nil
	}
	return c.send()
}

func (c *Conn) send() error {
	if c.out.Len() == 0 {
		return nil
	}
	if err := c.renewDeadline(); err != nil {
		return err
	}
	defer c.out.Release()
	_, err := c.net.Write(c.out.Bytes())
	return err
}

// renewDeadline gives a write at least seven eighths of its time. The deadline is set again when less than
// that is left, not for each write: setting one costs as much as all else that is done for a short answer.
func (c *Conn) renewDeadline() error {
	now := time.Now()
	if c.deadline.Sub(now) > c.writeTimeout-c.writeTimeout/8 {
		return nil
	}
	c.deadline = now.Add(c.writeTimeout)
	return c.net.SetWriteDeadline(c.deadline)
}

// Await waits until there is something to receive, or stop is closed.
func (c *Conn) Await(stop <-chan struct{}) bool {
	if c.reader.Buffered() > 0 {
		return true
	}
	arrived := make(chan bool, 1)
	go func() {
		_, err := c.reader.r.Peek(1)
		arrived <- err == nil || !isTimeout(err)
	}()
	select {
	case there := <-arrived:
		return there
	case <-stop:
		c.Interrupt()
		there := <-arrived
		_ = c.net.SetReadDeadline(time.Time{}) // an error means that it has ended
		return there
	}
}

// Interrupt ends a Receive that waits.
func (c *Conn) Interrupt() { _ = c.net.SetReadDeadline(time.Unix(1, 0)) } // an error means that it has ended

var errClientGone = errors.New("client connection lost")

// Watch returns a context that ends when the client closes its connection. The reader waits for one
// byte in the background; stop takes it back before the next Receive.
func (c *Conn) Watch(ctx context.Context) (context.Context, func()) {
	watched, cancel := context.WithCancelCause(ctx)
	context.AfterFunc(ctx, func() { cancel(nil) }) // it goes on when the watch stops, and ends with its parent
	if c.reader.Buffered() > 0 {
		// The client has sent more, so the socket cannot be asked without reading on; it is asked again
		// when that is used up.
		return watched, func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := c.reader.peekToEnd(); err != nil && !isTimeout(err) {
			cancel(errClientGone)
		}
	}()
	return watched, func() {
		_ = c.net.SetReadDeadline(time.Unix(1, 0)) // ends the Peek; an error means that it has ended
		<-done
		_ = c.net.SetReadDeadline(time.Time{})
	}
}

// isTimeout tells whether a read ended by its deadline, which is how stop ends a Peek.
func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// SendByte sends one byte at once: the answer to an SSLRequest or GSSENCRequest.
func (c *Conn) SendByte(b byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.Set(append(c.out.Take(), b))
	return c.send()
}
