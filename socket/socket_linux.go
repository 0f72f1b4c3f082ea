package socket

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// callMax is the longest read or write, in bytes, that is not told to the scheduler.
const callMax = 64 << 10

// Wrap returns a connection over conn with reads and writes of this package. It returns conn itself when that is
// neither a TCP nor a Unix socket. conn must not be read or written any more.
func Wrap(conn net.Conn) net.Conn {
	switch conn.(type) {
	case *net.TCPConn, *net.UnixConn:
	default:
		return conn
	}
	raw, err := conn.(syscall.Conn).SyscallConn() //nolint:forcetypeassert // both types have it
	if err != nil {
		return conn // closed: its reads and writes say so
	}
	s := &socket{Conn: conn, raw: raw}
	s.in.try, s.out.try = s.in.receive, s.out.send
	return s
}

// socket is a connection whose deadlines, addresses and end are those of Conn.
type socket struct {
	net.Conn
	raw     syscall.RawConn
	in, out transfer
}

// Read reads what has arrived, up to len(p) bytes, or waits until something has.
func (s *socket) Read(p []byte) (int, error) {
	if len(p) == 0 || len(p) > callMax {
		return s.Conn.Read(p)
	}
	n, errno, err := s.in.run(s.raw.Read, p)
	switch {
	case err != nil:
		return 0, renamed(err, "read")
	case errno != 0:
		return 0, s.failure("read", errno)
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// Write writes all of p, or as much as goes out before the deadline.
func (s *socket) Write(p []byte) (int, error) {
	if len(p) == 0 || len(p) > callMax {
		return s.Conn.Write(p)
	}
	n, errno, err := s.out.run(s.raw.Write, p)
	switch {
	case err != nil:
		return n, renamed(err, "write")
	case errno != 0:
		return n, s.failure("write", errno)
	case n < len(p):
		return n, io.ErrUnexpectedEOF // as package net calls it
	}
	return n, nil
}

// failure is a kernel's error as package net words it.
func (s *socket) failure(op string, errno syscall.Errno) error {
	return &net.OpError{
		Op: op, Net: s.LocalAddr().Network(), Source: s.LocalAddr(), Addr: s.RemoteAddr(), Err: os.NewSyscallError(op, errno),
	}
}

// renamed is a poller's error (a deadline, an end) with the operation that it ended: RawConn calls it "raw-read".
func renamed(err error, op string) error {
	if e := (*net.OpError)(nil); errors.As(err, &e) {
		e.Op = op
	}
	return err
}
