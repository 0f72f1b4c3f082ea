package embedded

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/tablewright/tablewright/k8s/internal/ownerfile"
)

// listen opens the API server's port on loopback and keeps its number in dir.
func listen(ctx context.Context, dir string, port int) (net.Listener, error) {
	path := filepath.Join(dir, "port")
	last := readPort(path)
	want := port
	if port == 0 {
		want = last
	}
	ln, err := listenLoopback(ctx, want)
	if port == 0 && last != 0 && errors.Is(err, syscall.EADDRINUSE) {
		ln, err = listenLoopback(ctx, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("open the API server's port: %w", err)
	}
	got := portOf(ln)
	if got != last {
		if err := ownerfile.Write(path, []byte(strconv.Itoa(got)+"\n")); err != nil {
			return nil, errors.Join(fmt.Errorf("keep the API server's port: %w", err), ln.Close())
		}
	}
	return ln, nil
}

func listenLoopback(ctx context.Context, port int) (net.Listener, error) {
	var lc net.ListenConfig
	return lc.Listen(ctx, "tcp", net.JoinHostPort(loopbackHost, strconv.Itoa(port)))
}

// readPort returns the port of the last run; 0 where there was none.
func readPort(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	port, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || port < 0 || port > portMax {
		return 0
	}
	return port
}

func portOf(ln net.Listener) int {
	if a, ok := ln.Addr().(*net.TCPAddr); ok {
		return a.Port
	}
	return 0
}
