package main

import (
	"errors"
	"net"
	"sync"
)

// startCopier starts the reference: the least that a gateway in Go can do. It copies bytes between each client
// and a connection of its own to a server, and reads none of them.
func startCopier(server string) (port int, stop func() error, err error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // returns at once
	if err != nil {
		return 0, nil, err
	}
	go func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			go copyBoth(client, server)
		}
	}()
	return ln.Addr().(*net.TCPAddr).Port, ln.Close, nil //nolint:forcetypeassert // a TCP listener's
}

func copyBoth(client net.Conn, server string) {
	backend, err := net.Dial("tcp", server) //nolint:noctx // a loopback address
	if err != nil {
		_ = client.Close()
		return
	}
	var both sync.WaitGroup
	both.Go(func() { _ = copyBytes(backend, client) })
	both.Go(func() { _ = copyBytes(client, backend) })
	both.Wait()
}

// copyBytes copies until one end closes, and closes both. It does not use io.Copy, whose splice(2) through a pipe
// takes more system calls for messages this short.
func copyBytes(to, from net.Conn) error {
	buffer := make([]byte, 8<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			_, err = to.Write(buffer[:n])
		}
		if err != nil {
			return errors.Join(to.Close(), from.Close())
		}
	}
}
