package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// cancelGrace is how long a cancelled exchange may take to end before the session gives up on it.
const cancelGrace = 10 * time.Second

// errSkipped is the end of an exchange whose messages the server dropped after an earlier error.
var errSkipped = errors.New("skipped after an earlier error")

// exchange is a group of messages that the session itself sends to the home server, between those of
// the client, and their answers. Its left and sealed fields belong to the backend's lock.
type exchange struct {
	left   int
	sealed bool // no more messages will be added
	once   sync.Once
	done   chan struct{}
	err    error // read after done

	// show tells which answers the client is sent; nil means none.
	show func(Frame) bool
	// edit changes an ErrorResponse before the client is sent it; nil means that the error is not shown
	// but returned.
	edit func(*pgproto3.ErrorResponse)
	// keepTag holds the CommandComplete back: the caller sends it when it is true.
	keepTag bool
	front   Frontend
	// gather keeps the answers that are not shown, also when some are.
	gather bool

	fields []pgproto3.FieldDescription
	rows   [][][]byte
	tag    string
	// completed counts the statements that have come to their end.
	completed int
	params    []uint32 // of a described statement: types
	copyIn    chan struct{}
}

func newExchange(front Frontend) *exchange {
	return &exchange{done: make(chan struct{}), front: front, copyIn: make(chan struct{}, 1)}
}

// finish ends the exchange; only the first end counts.
func (x *exchange) finish(err error) {
	x.once.Do(func() {
		x.err = err
		close(x.done)
	})
}

// message takes one answer.
func (x *exchange) message(f Frame) error {
	if f.Type == 'G' {
		select {
		case x.copyIn <- struct{}{}:
		default:
		}
	}
	if f.Type == 'C' {
		x.completed++
		x.tag = string(f.Body[:max(len(f.Body)-1, 0)])
		if x.keepTag {
			return nil
		}
	}
	if x.show != nil {
		if x.show(f) {
			return x.front.Forward(f)
		}
		if !x.gather {
			return nil
		}
	}
	switch f.Type {
	case 't':
		var m pgproto3.ParameterDescription
		if err := m.Decode(f.Body); err != nil {
			return err
		}
		x.params = slices.Clone(m.ParameterOIDs)
	case 'T':
		var m pgproto3.RowDescription
		if err := m.Decode(f.Body); err != nil {
			return err
		}
		x.fields = append([]pgproto3.FieldDescription(nil), m.Fields...)
		for i := range x.fields {
			x.fields[i].Name = append([]byte(nil), x.fields[i].Name...)
		}
	case 'D':
		var m pgproto3.DataRow
		if err := m.Decode(f.Body); err != nil {
			return err
		}
		x.rows = append(x.rows, copyValues(m.Values))
	}
	return nil
}

func copyValues(values [][]byte) [][]byte {
	row := make([][]byte, len(values))
	for i, v := range values {
		if v != nil {
			row[i] = append([]byte{}, v...)
		}
	}
	return row
}

// fail takes an ErrorResponse.
func (x *exchange) fail(f Frame) error {
	f = wallError(f)
	fields, err := errorFields(f)
	if err != nil {
		return err
	}
	if x.edit != nil {
		x.edit(fields)
		body, err := encodeBody(fields)
		if err != nil {
			return err
		}
		if err := x.front.Forward(Frame{Type: 'E', Body: body}); err != nil {
			return err
		}
	}
	x.finish(homeError(fields))
	return nil
}

func errorFields(f Frame) (*pgproto3.ErrorResponse, error) {
	var m pgproto3.ErrorResponse
	if err := m.Decode(f.Body); err != nil {
		return nil, err
	}
	return &m, nil
}

// encodeBody encodes a message and takes its header off.
func encodeBody(m pgproto3.BackendMessage) ([]byte, error) {
	b, err := m.Encode(nil)
	if err != nil {
		return nil, err
	}
	return b[5:], nil
}

// homeError is an ErrorResponse of the home server as an error.
func homeError(m *pgproto3.ErrorResponse) *sqlerr.Error {
	return &sqlerr.Error{
		Code: m.Code, Message: m.Message, Detail: m.Detail, Hint: m.Hint, Position: int(m.Position),
		Schema: m.SchemaName, Table: m.TableName, Column: m.ColumnName, DataType: m.DataTypeName,
		Constraint: m.ConstraintName,
	}
}

// run sends what the exchange has added, with a Flush, and waits for its end. When ctx ends first, the
// home server is asked to cancel, and the answer is still waited for: both sides must agree on what
// happened.
func (b *backend) run(ctx context.Context, x *exchange, cancel func()) error {
	if err := b.send(x); err != nil {
		return err
	}
	return b.await(ctx, x, cancel)
}

// send sends what the exchange has added, with a Flush.
func (b *backend) send(x *exchange) error {
	if err := b.addMessage(&pgproto3.Flush{}, 0, nil); err != nil {
		return err
	}
	b.mu.Lock()
	x.sealed = true
	if x.left == 0 {
		x.finish(nil)
	}
	if b.gone != nil {
		x.finish(b.gone)
	}
	b.mu.Unlock()
	if err := b.flush(); err != nil {
		return errors.Join(errBackendGone, err)
	}
	return nil
}

// await waits for the end of an exchange that was sent.
func (b *backend) await(ctx context.Context, x *exchange, cancel func()) error {
	select {
	case <-x.done:
		return x.err
	case <-ctx.Done():
	}
	cancel()
	select {
	case <-x.done:
		return x.err
	case <-time.After(cancelGrace):
		// Its cause is no answer of the home server, and not to be taken for one.
		return fmt.Errorf("%w: %v", errBackendGone, context.Cause(ctx)) //nolint:errorlint // see above
	}
}
