package session

import (
	"slices"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/limits"
)

// deliver hands one message of the home server to the client or to the exchange that asked for it, and
// takes the expectation off the queue that it answers.
func (b *backend) deliver(f Frame) error {
	switch f.Type {
	case 'A', 'S':
		return b.front.Forward(f)
	case 'E':
		return b.deliverError(f)
	case 'Z':
		return b.deliverReady(f)
	case 'N':
		b.noticeEnd(f)
	}
	b.mu.Lock()
	var head expectation
	if len(b.queue) > 0 {
		head = b.queue[0]
	}
	if f.Type == 'G' {
		b.beginCopyIn()
	}
	if answers(head.kind, f.Type) {
		b.pop()
		if head.kind == 'E' {
			b.copyIn = false
		}
		defer b.settle(head.sink)
	}
	b.mu.Unlock()
	if head.sink != nil {
		return head.sink.message(f)
	}
	return b.front.Forward(f)
}

// answers tells whether a message of type reply is the last answer to a message of kind.
func answers(kind, reply byte) bool {
	switch kind {
	case 'P':
		return reply == '1'
	case 'B':
		return reply == '2'
	case 'C':
		return reply == '3'
	case 'd', 'D':
		return reply == 'T' || reply == 'n'
	case 'E':
		return reply == 'C' || reply == 'I' || reply == 's'
	default:
		return false
	}
}

// pop takes the head off the queue; b.mu is held.
func (b *backend) pop() {
	b.queue = b.queue[1:]
	if len(b.queue) == 0 {
		b.emptied()
	}
}

// settle tells an exchange that one of its messages is answered.
func (b *backend) settle(sink *exchange) {
	if sink == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	sink.left--
	if sink.left == 0 && sink.sealed {
		sink.finish(nil)
	}
}

// beginCopyIn notes that the server waits for CopyData. It ignores Flush and Sync meanwhile, so a Sync
// that was sent behind the Execute (before the end of the data) gets no answer. b.mu is held.
func (b *backend) beginCopyIn() {
	b.copyIn = true
	if len(b.queue) == 0 || b.queue[0].kind != 'E' {
		b.changed.Broadcast()
		return
	}
	end := 1
	for end < len(b.queue) && ignoredInCopy(b.queue[end].kind) {
		end++
	}
	b.queue = slices.Delete(b.queue, 1, end)
	b.changed.Broadcast()
}

// endCopy notes that the client has ended its data: a Sync behind it is answered again.
func (b *backend) endCopy() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.copyIn = false
}

// deliverError handles ErrorResponse. In the extended protocol the server then drops what follows up to
// the next Sync, a Query among it, so what was expected up to there is dropped too. After an error of a
// Query or of the commit at a Sync, ReadyForQuery follows and nothing is dropped.
func (b *backend) deliverError(f Frame) error {
	b.mu.Lock()
	if isFatal(f) {
		b.fatal = true
	}
	b.copyIn = false
	var sink *exchange
	if len(b.queue) > 0 {
		sink = b.queue[0].sink
		if !endsWithReady(b.queue[0].kind) {
			b.failed = true
			b.dropToSync(sink)
		}
	}
	b.mu.Unlock()
	if sink != nil {
		return sink.fail(f)
	}
	return b.front.Forward(wallError(f))
}

// dropToSync takes off the queue what the server will not answer; b.mu is held. The exchange that got
// the error itself is ended by its caller.
func (b *backend) dropToSync(failed *exchange) {
	for len(b.queue) > 0 && b.queue[0].kind != 'S' {
		if other := b.queue[0].sink; other != nil && other != failed {
			other.finish(errSkipped)
		}
		b.queue = b.queue[1:]
	}
	if len(b.queue) == 0 {
		b.emptied()
	}
}

// endsWithReady tells whether a message is answered by ReadyForQuery even after an error of its own.
func endsWithReady(kind byte) bool { return kind == 'S' || kind == 'Q' || kind == 'F' }

func (b *backend) deliverReady(f Frame) error {
	if cap(b.body) > limits.WriteKeepBytesMax {
		b.body = nil // of a large row; an idle session keeps little
	}
	b.mu.Lock()
	if len(f.Body) > 0 {
		b.tx = f.Body[0]
	}
	b.failed = false
	b.copyIn = false
	var head expectation
	for len(b.queue) > 0 {
		head = b.queue[0]
		b.queue = b.queue[1:]
		if endsWithReady(head.kind) {
			break
		}
	}
	if len(b.queue) == 0 {
		b.emptied()
	}
	b.mu.Unlock()
	if head.sink == nil {
		return b.front.Forward(f)
	}
	b.settle(head.sink)
	return nil
}

// noticeEnd notes the good-bye of a server that ends in a hurry: it is a warning then.
func (b *backend) noticeEnd(f Frame) {
	fields, err := errorFields(f)
	if err != nil || fields.Code != sqlerr.CrashShutdown && fields.Code != sqlerr.AdminShutdown {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fatal = true
}

// isFatal reads the severity of an ErrorResponse: FATAL and PANIC end the connection.
func isFatal(f Frame) bool {
	fields, err := errorFields(f)
	return err == nil && (fields.SeverityUnlocalized == "FATAL" || fields.SeverityUnlocalized == "PANIC")
}
