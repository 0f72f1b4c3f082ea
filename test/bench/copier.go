package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
	"github.com/tablewright/tablewright/test/gatewaytest"
)

// startCopier starts this program once more, as the copier: its CPU time is then its own.
func (st *stage) startCopier(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	port := gatewaytest.FreePort()
	p, err := startProcess(ctx, self, "-copier", fmt.Sprintf("%s:%d", pgserver.Host, st.home.Port), "-copier-port", fmt.Sprint(port))
	if err != nil {
		return err
	}
	st.stops = append(st.stops, p.stop)
	st.targets = append(st.targets, target{copier, port, p.pid})
	return st.await(ctx, port, p)
}

// beCopier serves until it is killed.
func beCopier(port int, server string) error {
	ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)) //nolint:noctx // returns at once
	if err != nil {
		return err
	}
	return serveCopies(ln, server)
}

// serveCopies is the reference, the least that a gateway in Go can do. It copies bytes between each client and a
// connection of its own to a server, and reads none of them.
func serveCopies(ln net.Listener, server string) error {
	for {
		client, err := ln.Accept()
		if err != nil {
			return err
		}
		go copyBoth(client, server)
	}
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
