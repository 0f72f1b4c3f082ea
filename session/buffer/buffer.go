// Package buffer lends the memory in which messages are gathered before they are sent: a connection that has
// nothing to send holds none.
package buffer

import (
	"sync"

	"github.com/tablewright/tablewright/limits"
)

// Out gathers bytes. The zero value is empty.
type Out struct{ lent *[]byte }

// pool holds buffers of WriteBufferBytes at least, WriteKeepBytesMax at most.
//
//nolint:gochecknoglobals // memory is the process's
var pool = sync.Pool{New: func() any {
	b := make([]byte, 0, limits.WriteBufferBytes)
	return &b
}}

// Bytes is what has been gathered. It is valid until Release.
func (o *Out) Bytes() []byte {
	if o.lent == nil {
		return nil
	}
	return *o.lent
}

// Len is the number of bytes gathered.
func (o *Out) Len() int { return len(o.Bytes()) }

// Take returns what has been gathered, for Set to take it back with more behind it.
func (o *Out) Take() []byte {
	if o.lent == nil {
		o.lent = pool.Get().(*[]byte) //nolint:forcetypeassert // nothing else is put there
	}
	return *o.lent
}

// Set takes back what Take returned.
func (o *Out) Set(b []byte) { *o.lent = b }

// Release empties the buffer and gives its memory back, unless it has become large.
func (o *Out) Release() {
	if o.lent == nil {
		return
	}
	if cap(*o.lent) <= limits.WriteKeepBytesMax {
		*o.lent = (*o.lent)[:0]
		pool.Put(o.lent)
	}
	o.lent = nil
}
