// Package wire reads and writes the frames of the PostgreSQL protocol towards clients. It is the only
// importer of pgproto3, which it uses as a codec of single messages: lengths, limits and buffers are
// its own, since that library trusts them.
package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/limits"
	"github.com/tablewright/tablewright/session"
)

// Reader reads frames.
type Reader struct {
	r   *bufio.Reader
	buf []byte
}

// NewReader reads frames from r.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, limits.ReadBufferBytes)}
}

// Buffered is the number of bytes that have arrived and are not read yet.
func (r *Reader) Buffered() int { return r.r.Buffered() }

// peekToEnd waits for bytes, leaving them unread, until the connection ends or is interrupted, a Terminate
// message begins, or the buffer is full, so that nothing more can be seen.
func (r *Reader) peekToEnd() error {
	for r.r.Buffered() < r.r.Size() {
		seen, err := r.r.Peek(r.r.Buffered() + 1)
		if err != nil {
			return err
		}
		if seen[0] == 'X' {
			return io.EOF // its good-bye; nothing follows
		}
	}
	return nil
}

// Next reads one frame; its body is valid until the next call. A frame that no client may send, or that
// is longer than its kind may be, is a 08P01 error and the connection cannot go on: its length is not to
// be trusted.
func (r *Reader) Next() (session.Frame, error) {
	head, err := r.r.Peek(session.FrameHeadBytes)
	if err != nil {
		if len(head) > 0 && errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return session.Frame{}, err
	}
	typ := head[0]
	limit := bodyBytesMax(typ)
	if limit < 0 {
		return session.Frame{}, sqlerr.New(sqlerr.ProtocolViolation, "invalid frontend message type %d", typ)
	}
	length := int64(binary.BigEndian.Uint32(head[1:])) - 4
	if length < 0 || length > int64(limit) {
		return session.Frame{}, sqlerr.New(sqlerr.ProtocolViolation, "invalid message length")
	}
	_, _ = r.r.Discard(session.FrameHeadBytes) // it was there
	body, err := r.body(int(length))
	if err != nil {
		return session.Frame{}, err
	}
	return session.Frame{Type: typ, Body: body}, nil
}

// Whole tells whether a whole frame has arrived that is not read yet. One that is longer than the buffer is
// none: more of it has to come.
func (r *Reader) Whole() bool {
	if r.r.Buffered() < session.FrameHeadBytes {
		return false
	}
	head, _ := r.r.Peek(session.FrameHeadBytes) // it is there
	return int64(r.r.Buffered()) > int64(binary.BigEndian.Uint32(head[1:]))
}

// bodyBytesMax is the longest body of a frontend message type, -1 for one that does not exist.
func bodyBytesMax(typ byte) int {
	switch typ {
	case 'Q', 'P', 'B', 'F', 'd':
		return limits.LongBytesMax
	case 'C', 'D', 'E', 'H', 'S', 'X', 'c', 'f':
		return limits.ShortBytesMax
	case 'p':
		return limits.AuthBytesMax
	default:
		return -1
	}
}

// body reads n bytes. Memory grows with what has arrived, never with what was announced.
func (r *Reader) body(n int) ([]byte, error) {
	if cap(r.buf) > limits.KeepBytesMax {
		r.buf = nil
	}
	buf := r.buf[:0]
	if n <= r.r.Buffered() {
		seen, _ := r.r.Peek(n) // it is there
		buf = append(buf, seen...)
		_, _ = r.r.Discard(n)
		r.buf = buf
		return buf, nil
	}
	for len(buf) < n {
		chunk := min(n-len(buf), max(limits.GrowBytes, len(buf)))
		start := len(buf)
		if cap(buf) < start+chunk {
			grown := make([]byte, start, start+chunk)
			copy(grown, buf)
			buf = grown
		}
		buf = buf[:start+chunk]
		if _, err := io.ReadFull(r.r, buf[start:]); err != nil {
			return nil, err
		}
	}
	r.buf = buf
	return buf, nil
}
