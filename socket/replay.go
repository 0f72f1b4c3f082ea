package socket

import (
	"bufio"
	"net"
)

// Replay returns a connection whose reads bring what r holds, which was read of conn already, and then what comes. It
// is conn itself when r holds nothing.
func Replay(conn net.Conn, r *bufio.Reader) net.Conn {
	if r.Buffered() == 0 {
		return conn
	}
	return replayed{Conn: conn, first: r}
}

// replayed is a connection of which something has been read already.
type replayed struct {
	net.Conn
	first *bufio.Reader
}

// Read returns what was read before, then what comes.
func (r replayed) Read(p []byte) (int, error) {
	if n := r.first.Buffered(); n > 0 {
		return r.first.Read(p[:min(n, len(p))])
	}
	return r.Conn.Read(p)
}
