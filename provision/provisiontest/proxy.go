package provisiontest

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// Proxy forwards TCP connections to a system, until a test tells it not to. It is how a system is made
// unreachable, slow or deaf from outside.
type Proxy struct {
	target   string
	listener net.Listener
	done     sync.WaitGroup

	mu     sync.Mutex
	down   bool
	frozen chan struct{} // not nil while nothing is forwarded; closed by Thaw
	filter func(fromClient []byte) bool
	conns  map[net.Conn]struct{}
}

// StartProxy listens on a free port of loopback and forwards to target (host:port).
func StartProxy(ctx context.Context, target string) (*Proxy, error) {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{target: target, listener: listener, conns: make(map[net.Conn]struct{})}
	p.done.Go(p.accept)
	return p, nil
}

// Port is the port that the proxy listens on.
func (p *Proxy) Port() int {
	return p.listener.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // a TCP listener's
}

// Down cuts all connections and refuses new ones.
func (p *Proxy) Down() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = true
	p.cutLocked()
}

// Up accepts connections again.
func (p *Proxy) Up() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = false
}

// Cut ends all connections that are open.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cutLocked()
}

func (p *Proxy) cutLocked() {
	for c := range p.conns {
		shut(c)
	}
}

// Freeze stops forwarding without closing anything, as a network that loses packets does.
func (p *Proxy) Freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.frozen == nil {
		p.frozen = make(chan struct{})
	}
}

// Thaw forwards what was held back by Freeze.
func (p *Proxy) Thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.frozen != nil {
		close(p.frozen)
		p.frozen = nil
	}
}

// Watch shows filter what clients send, before it is forwarded. Where it returns true, the bytes are
// forwarded and the connection's answers are not: the client is cut off. Nil watches nothing.
func (p *Proxy) Watch(filter func(fromClient []byte) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.filter = filter
}

// Close ends the proxy and waits for its goroutines.
func (p *Proxy) Close() error {
	err := p.listener.Close()
	p.Thaw()
	p.Down()
	p.done.Wait()
	return err
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		p.done.Go(func() { p.serve(client) })
	}
}

func (p *Proxy) serve(client net.Conn) {
	defer shut(client)
	if !p.register(client) {
		return
	}
	defer p.unregister(client)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var d net.Dialer
	server, err := d.DialContext(ctx, "tcp", p.target)
	if err != nil {
		return
	}
	defer shut(server)
	if !p.register(server) {
		return
	}
	defer p.unregister(server)
	var both sync.WaitGroup
	both.Go(func() { p.forward(server, client, true) })
	both.Go(func() { p.forward(client, server, false) })
	both.Wait()
}

func (p *Proxy) register(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		return false
	}
	p.conns[c] = struct{}{}
	return true
}

func (p *Proxy) unregister(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}

// forward copies until either side ends, and then ends both.
func (p *Proxy) forward(to, from net.Conn, fromClient bool) {
	defer shut(to)
	defer shut(from)
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			p.hold()
			cut := fromClient && p.filtered(buffer[:n])
			if cut {
				shut(from) // the client hears no answer
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
			if cut {
				// The server reads the end of the connection only after what was forwarded.
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *Proxy) hold() {
	p.mu.Lock()
	frozen := p.frozen
	p.mu.Unlock()
	if frozen != nil {
		<-frozen
	}
}

func (p *Proxy) filtered(b []byte) bool {
	p.mu.Lock()
	filter := p.filter
	p.mu.Unlock()
	return filter != nil && filter(b)
}

// shut closes a connection that the other side may have closed already.
func shut(c net.Conn) { _ = c.Close() }
