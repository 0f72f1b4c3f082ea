package faults

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// proxy stands between the gateway and a PostgreSQL. It reads the messages of the protocol (version 3.0,
// without TLS) and hinders the calls that its faults choose.
type proxy struct {
	faults   *faults
	target   string
	listener net.Listener
	done     sync.WaitGroup
	mu       sync.Mutex
	conns    map[net.Conn]struct{}
}

func startProxy(t *testing.T, f *faults, port uint16) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{faults: f, target: "127.0.0.1:" + strconv.Itoa(int(port)), listener: listener, conns: map[net.Conn]struct{}{}}
	p.done.Go(p.accept)
	return p
}

func (p *proxy) port() int { return p.listener.Addr().(*net.TCPAddr).Port }

func (p *proxy) close() {
	_ = p.listener.Close()
	p.mu.Lock()
	for c := range p.conns {
		_ = c.Close()
	}
	p.mu.Unlock()
	p.done.Wait()
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		if p.faults.isDown() {
			_ = client.Close()
			continue
		}
		server, err := net.DialTimeout("tcp", p.target, 5*time.Second)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns[client], p.conns[server] = struct{}{}, struct{}{}
		p.mu.Unlock()
		c := &relay{faults: p.faults, client: client, server: server, texts: map[string]string{}, portals: map[string]string{}}
		p.done.Go(c.toServer)
		p.done.Go(c.toClient)
	}
}

// relay is one connection.
type relay struct {
	faults         *faults
	client, server net.Conn
	texts, portals map[string]string // of prepared statements and of portals
	mu             sync.Mutex
	deaf           bool // the client is told nothing any more, and is cut off when the server has answered
}

func (c *relay) shut() {
	_ = c.client.Close()
	_ = c.server.Close()
}

func (c *relay) toServer() {
	defer c.shut()
	startup := make([]byte, 4)
	if _, err := io.ReadFull(c.client, startup); err != nil {
		return
	}
	rest := make([]byte, binary.BigEndian.Uint32(startup)-4)
	if _, err := io.ReadFull(c.client, rest); err != nil {
		return
	}
	if _, err := c.server.Write(append(startup, rest...)); err != nil {
		return
	}
	for {
		kind, body, err := readMessage(c.client)
		if err != nil {
			return
		}
		if body, err = c.judge(kind, body); err != nil {
			return
		}
		if writeMessage(c.server, kind, body) != nil {
			return
		}
	}
}

// broken is a name that nothing has: the server itself refuses the call, in its transaction.
const broken = "hindered_by_the_test"

// judge returns what is sent in place of a message; an error cuts the connection.
func (c *relay) judge(kind byte, body []byte) ([]byte, error) {
	sql, call := c.read(kind, body)
	if !call {
		return body, nil
	}
	switch c.faults.next(sql) {
	case refused:
		if kind == 'Q' {
			return []byte("EXECUTE " + broken + "\x00"), nil
		}
		return append([]byte(broken+"\x00"), 0, 0, 0, 0), nil
	case unheard, outage:
		return nil, io.ErrClosedPipe
	case untold:
		c.mu.Lock()
		c.deaf = true
		c.mu.Unlock()
	}
	return body, nil
}

// read finds the statement that a message has the server carry out.
func (c *relay) read(kind byte, body []byte) (sql string, call bool) {
	fields := bytes.SplitN(body, []byte{0}, 3)
	switch kind {
	case 'Q':
		return string(fields[0]), true
	case 'P':
		c.texts[string(fields[0])] = string(fields[1])
	case 'B':
		c.portals[string(fields[0])] = c.texts[string(fields[1])]
	case 'E':
		return c.portals[string(fields[0])], true
	}
	return "", false
}

func (c *relay) toClient() {
	defer c.shut()
	for {
		kind, body, err := readMessage(c.server)
		if err != nil {
			return
		}
		c.mu.Lock()
		deaf := c.deaf
		c.mu.Unlock()
		if deaf {
			if kind == 'Z' {
				return
			}
			continue
		}
		if kind == 'E' && strings.Contains(string(body), broken) {
			body = []byte("SERROR\x00VERROR\x00C42501\x00Mpermission denied by the test\x00\x00")
		}
		if writeMessage(c.client, kind, body) != nil {
			return
		}
	}
}

func readMessage(r io.Reader) (kind byte, body []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	body = make([]byte, binary.BigEndian.Uint32(head[1:])-4)
	_, err = io.ReadFull(r, body)
	return head[0], body, err
}

func writeMessage(w io.Writer, kind byte, body []byte) error {
	message := append([]byte{kind}, binary.BigEndian.AppendUint32(nil, uint32(len(body)+4))...)
	_, err := w.Write(append(message, body...))
	return err
}
