package socket_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/nettest"

	"github.com/tablewright/tablewright/socket"
)

// pair is the two ends of a new connection.
func pair(tb testing.TB, network string) (a, b net.Conn) {
	tb.Helper()
	address := "127.0.0.1:0"
	if network == "unix" {
		address = filepath.Join(tb.TempDir(), "s")
	}
	a, b, err := connect(tb.Context(), network, address)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _, _ = a.Close(), b.Close() })
	return a, b
}

func connect(ctx context.Context, network, address string) (a, b net.Conn, err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, network, address)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, listener.Close()) }()
	if a, err = (&net.Dialer{}).DialContext(ctx, network, listener.Addr().String()); err != nil {
		return nil, nil, err
	}
	if b, err = listener.Accept(); err != nil {
		return nil, nil, errors.Join(err, a.Close())
	}
	return a, b, nil
}

// The tests of package net for all connections: what is written is read, deadlines that pass, have passed and are
// moved, ends while something is under way, many readers and writers.
func TestIsAConnectionAsPackageNetWantsIt(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		t.Run(network, func(t *testing.T) {
			nettest.TestConn(t, func() (c1, c2 net.Conn, stop func(), err error) {
				a, b := pair(t, network)
				return socket.Wrap(a), socket.Wrap(b), func() { _, _ = a.Close(), b.Close() }, nil
			})
		})
	}
}

// Errors are those of package net, which callers judge by type and by value, and show.
func TestErrorsAreThoseOfPackageNet(t *testing.T) {
	buffer := make([]byte, 16)
	for name, fail := range map[string]func(mine, other net.Conn) error{
		"end of the stream": func(mine, other net.Conn) error {
			_ = other.Close()
			_, err := mine.Read(buffer)
			return err
		},
		"read past the deadline": func(mine, _ net.Conn) error {
			_ = mine.SetReadDeadline(time.Unix(1, 0))
			_, err := mine.Read(buffer)
			return err
		},
		"write past the deadline": func(mine, _ net.Conn) error {
			_ = mine.SetWriteDeadline(time.Unix(1, 0))
			_, err := mine.Write(buffer)
			return err
		},
		"read after close": func(mine, _ net.Conn) error {
			_ = mine.Close()
			_, err := mine.Read(buffer)
			return err
		},
		"write after close": func(mine, _ net.Conn) error {
			_ = mine.Close()
			_, err := mine.Write(buffer)
			return err
		},
		"read after a reset": func(mine, other net.Conn) error {
			reset(other)
			_, err := mine.Read(buffer)
			return err
		},
		"write after a reset": func(mine, other net.Conn) error {
			reset(other)
			_, _ = mine.Read(buffer) // takes the reset
			_, err := mine.Write(buffer)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			mine, other := pair(t, "tcp")
			plain, otherOfPlain := pair(t, "tcp")
			got, want := fail(socket.Wrap(mine), other), fail(plain, otherOfPlain)
			for _, value := range []error{io.EOF, os.ErrDeadlineExceeded, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE} {
				if errors.Is(got, value) != errors.Is(want, value) {
					t.Errorf("is %v: %v, want as of %v", value, got, want)
				}
			}
			if timeout(got) != timeout(want) || op(got) != op(want) {
				t.Errorf("got %#v, want as %#v", got, want)
			}
		})
	}
}

func reset(c net.Conn) {
	_ = c.(*net.TCPConn).SetLinger(0) //nolint:forcetypeassert // of a pair
	_ = c.Close()
	time.Sleep(20 * time.Millisecond)
}

func timeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

func op(err error) string {
	var e *net.OpError
	if !errors.As(err, &e) {
		return ""
	}
	return e.Op + " " + e.Net
}

// A reader that takes its time makes the writer wait in the middle of a write, of every length about the longest short one.
func TestWritesOfEveryLengthArriveWhole(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		t.Run(network, func(t *testing.T) {
			a, b := pair(t, network)
			writer, reader := socket.Wrap(a), socket.Wrap(b)
			lengths := []int{1, 100, 64<<10 - 1, 64 << 10, 64<<10 + 1, 1 << 20, 3, 64 << 10, 5 << 20, 1}
			var sent bytes.Buffer
			for i, n := range lengths {
				sent.Write(bytes.Repeat([]byte{byte(i)}, n))
			}
			go func() {
				rest := sent.Bytes()
				for _, n := range lengths {
					if written, err := writer.Write(rest[:n]); written != n || err != nil {
						t.Errorf("%d of %d bytes written, %v", written, n, err)
					}
					rest = rest[n:]
				}
				_ = writer.Close()
			}()
			time.Sleep(50 * time.Millisecond)
			got, err := io.ReadAll(reader)
			if err != nil || !bytes.Equal(got, sent.Bytes()) {
				t.Errorf("%d of %d bytes read, %v", len(got), sent.Len(), err)
			}
		})
	}
}

// What is written before the deadline is counted, so that a caller knows that the stream is cut.
func TestWriteSaysHowMuchWentOut(t *testing.T) {
	a, b := pair(t, "tcp")
	writer := socket.Wrap(a)
	if err := writer.SetWriteDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	written, chunk := 0, make([]byte, 60<<10)
	for {
		n, err := writer.Write(chunk)
		written += n
		if errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
		if err != nil || n != len(chunk) {
			t.Fatal(n, err)
		}
	}
	_ = writer.Close()
	if got, err := io.Copy(io.Discard, b); err != nil || got != int64(written) {
		t.Errorf("%d bytes arrived, %d were said to be written, %v", got, written, err)
	}
}

func TestOthersAreLeftAlone(t *testing.T) {
	a, b := net.Pipe()
	defer func() { _, _ = a.Close(), b.Close() }()
	if socket.Wrap(a) != a {
		t.Error("a pipe has no socket to wrap")
	}
}

// BenchmarkEcho is a message of 100 bytes there and back: through package net, and through this one.
func BenchmarkEcho(b *testing.B) {
	for name, wrap := range map[string]func(net.Conn) net.Conn{
		"net": func(c net.Conn) net.Conn { return c }, "socket": socket.Wrap,
	} {
		b.Run(name, func(b *testing.B) {
			near, far := pair(b, "tcp")
			near, far = wrap(near), wrap(far)
			go func() { _, _ = io.CopyBuffer(writeOnly{far}, readOnly{far}, make([]byte, 8<<10)) }()
			message := make([]byte, 100)
			for b.Loop() {
				if _, err := near.Write(message); err != nil {
					b.Fatal(err)
				}
				if _, err := io.ReadFull(near, message); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// writeOnly and readOnly hide what io.Copy would do without reading and writing.
type (
	writeOnly struct{ io.Writer }
	readOnly  struct{ io.Reader }
)
