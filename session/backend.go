package session

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/session/buffer"
)

// backendReadBytes is the read buffer of a home connection.
const backendReadBytes = 8 << 10

// bodyKeepBytesMax is the largest buffer for a long message that the next one is read into.
const bodyKeepBytesMax = 256 << 10

// backendOutBytes is how much is gathered before it is sent without waiting for more.
const backendOutBytes = 64 << 10

// backendBodyMax bounds one message of the home server; PostgreSQL's own limit is 1 GiB.
const backendBodyMax = 1 << 30

// errBackendGone is why a session ends when its home connection does.
var errBackendGone = errors.New("home connection lost")

// errCopyIn tells that the home server answers nothing before the data of a COPY has ended.
var errCopyIn = errors.New("the home server waits for data of a COPY")

// Link is a connection of the home database that is past authentication.
type Link struct {
	Conn       net.Conn
	PID        uint32
	Secret     []byte
	Parameters map[string]string
}

// expectation is one message that was sent to the home server and is not answered yet. Answers come in
// the order of the messages, so a queue of these tells whose each answer is.
type expectation struct {
	kind byte      // type byte of the message; 'd' for Describe of a statement, 'D' of a portal
	sink *exchange // nil: the client sent it
}

// backend is the session's own home connection. One goroutine (the session's) writes to it, another
// (receive) reads from it; they share the queue of expectations.
type backend struct {
	link   *Link
	reader *bufio.Reader
	front  Frontend
	body   []byte // of a message that is longer than the reader's buffer
	seen   int    // bytes of the message at hand that are still in that buffer

	// attend watches the client while the session waits for the home server; what it returns ends that.
	attend func() func()

	out buffer.Out // written by the session's goroutine only

	mu      sync.Mutex
	changed *sync.Cond // the queue became empty, a copy began, or the connection died
	queue   []expectation
	first   [8]expectation // what queue is in while it is short
	tx      byte           // of the last ReadyForQuery
	failed  bool           // an error of the extended protocol: the server skips to the next Sync
	copyIn  bool           // the server waits for CopyData
	fatal   bool           // the server said good-bye itself
	gone    error
	done    chan struct{}
	closed  bool // by us
}

func newBackend(link *Link, front Frontend) *backend {
	b := &backend{
		link: link, front: front, tx: 'I', done: make(chan struct{}),
		reader: bufio.NewReaderSize(link.Conn, backendReadBytes),
	}
	b.changed = sync.NewCond(&b.mu)
	b.queue = b.first[:0]
	return b
}

// close ends the connection as a client does and waits for the reader.
func (b *backend) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	// What the client sent before its own good-bye is carried out.
	terminate, _ := (&pgproto3.Terminate{}).Encode(b.out.Bytes()) // encoding an empty message cannot fail
	_, _ = b.link.Conn.Write(terminate)                           // the server may be gone already
	_ = b.link.Conn.Close()
	<-b.done
}

// add buffers a message and remembers what its answer is for.
func (b *backend) add(f Frame, kind byte, sink *exchange) error {
	out := append(b.out.Take(), f.Type)
	out = binary.BigEndian.AppendUint32(out, uint32(len(f.Body)+4)) //nolint:gosec // bounded by the frame reader
	b.out.Set(append(out, f.Body...))
	if kind != 0 {
		b.expect(kind, sink)
	}
	if b.out.Len() < backendOutBytes {
		return nil
	}
	return b.flush()
}

// addMessage buffers a message of our own.
func (b *backend) addMessage(m pgproto3.FrontendMessage, kind byte, sink *exchange) error {
	out, err := m.Encode(b.out.Take())
	if err != nil {
		return err
	}
	b.out.Set(out)
	if kind != 0 {
		b.expect(kind, sink)
	}
	return nil
}

// outgoing is a message of our own and what its answer is expected as.
type outgoing struct {
	m    pgproto3.FrontendMessage
	kind byte
}

// addAll buffers messages of one exchange.
func (b *backend) addAll(x *exchange, messages ...outgoing) error {
	for _, message := range messages {
		if err := b.addMessage(message.m, message.kind, x); err != nil {
			return err
		}
	}
	return nil
}

func (b *backend) expect(kind byte, sink *exchange) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.copyIn && ignoredInCopy(kind) {
		return // ignored by the server until the data has ended
	}
	if b.failed && kind != 'S' && !b.syncQueued() {
		// The server drops it without an answer.
		if sink != nil {
			sink.finish(errSkipped)
		}
		return
	}
	if sink != nil {
		sink.left++
	}
	b.queue = append(b.queue, expectation{kind, sink})
}

// ignoredInCopy tells whether the server takes a message for part of the data.
func ignoredInCopy(kind byte) bool { return kind == 'S' || kind == 'H' }

// syncQueued tells whether a Sync is on its way, behind which the server answers again; b.mu is held.
func (b *backend) syncQueued() bool {
	for _, e := range b.queue {
		if e.kind == 'S' {
			return true
		}
	}
	return false
}

// emptied tells who waits that all has been answered; b.mu is held.
func (b *backend) emptied() {
	clear(b.first[:]) // exchanges that have ended
	b.queue = b.first[:0]
	b.changed.Broadcast()
}

// flush sends what is buffered.
func (b *backend) flush() error {
	if b.out.Len() == 0 {
		return nil
	}
	defer b.out.Release()
	_, err := b.link.Conn.Write(b.out.Bytes())
	return err
}

// drain makes the server answer all that it was sent, and waits until the client has been sent it. It
// returns the state of the transaction and whether the server now skips to the next Sync. While a COPY
// waits for data it is errCopyIn.
func (b *backend) drain() (tx byte, failed bool, err error) {
	b.mu.Lock()
	waiting := len(b.queue) > 0
	b.mu.Unlock()
	if waiting {
		if err := b.addMessage(&pgproto3.Flush{}, 0, nil); err != nil {
			return 0, false, err
		}
	}
	if err := b.flush(); err != nil {
		return 0, false, err
	}
	if waiting && b.attend != nil {
		defer b.attend()()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue) > 0 && b.gone == nil && !b.copyIn {
		b.changed.Wait()
	}
	if b.copyIn && b.gone == nil {
		return b.tx, b.failed, errCopyIn
	}
	return b.tx, b.failed, b.gone
}

// state is the transaction state as last reported.
func (b *backend) state() byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tx
}

// receive reads the server's messages until the connection ends and hands each to whom it is for. It
// ends when the session closes the connection or the server does.
func (b *backend) receive() {
	defer close(b.done)
	defer func() {
		if p := recover(); p != nil {
			b.die(fmt.Errorf("fault: %v", p))
		}
	}()
	for {
		f, err := b.read()
		if err == nil {
			err = b.deliver(f)
		}
		if err == nil && b.unread() == 0 {
			err = b.front.Flush()
		}
		if err != nil {
			b.die(err)
			return
		}
	}
}

func (b *backend) die(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		defer b.front.Interrupt() // the session may be waiting for the client
	}
	b.gone = errors.Join(errBackendGone, err)
	for _, e := range b.queue {
		if e.sink != nil {
			e.sink.finish(b.gone)
		}
	}
	b.queue = nil
	b.changed.Broadcast()
}

// read returns the next message; its body is valid until the next call. One that fits the buffer is read where
// it lies.
func (b *backend) read() (Frame, error) {
	if _, err := b.reader.Discard(b.seen); err != nil {
		return Frame{}, err
	}
	b.seen = 0
	head, err := b.reader.Peek(FrameHeadBytes)
	if err != nil {
		return Frame{}, err
	}
	typ, n := head[0], int64(binary.BigEndian.Uint32(head[1:]))-4
	if n < 0 || n > backendBodyMax {
		return Frame{}, errors.New("home server sent an invalid message length")
	}
	if whole := FrameHeadBytes + int(n); whole <= backendReadBytes {
		frame, err := b.reader.Peek(whole)
		b.seen = len(frame)
		return Frame{Type: typ, Body: frame[min(FrameHeadBytes, len(frame)):]}, err
	}
	return b.readLong(typ, int(n))
}

// readLong reads a message that is longer than the buffer.
func (b *backend) readLong(typ byte, n int) (Frame, error) {
	_, _ = b.reader.Discard(FrameHeadBytes) // it was seen
	if cap(b.body) < n || cap(b.body) > bodyKeepBytesMax {
		b.body = make([]byte, n)
	}
	b.body = b.body[:n]
	if _, err := io.ReadFull(b.reader, b.body); err != nil {
		return Frame{}, err
	}
	return Frame{Type: typ, Body: b.body}, nil
}

// unread is how many bytes have arrived and are not read yet.
func (b *backend) unread() int { return b.reader.Buffered() - b.seen }
