//go:build !linux

package socket

import "net"

// Wrap returns conn: other systems have no such calls to save.
func Wrap(conn net.Conn) net.Conn { return conn }
