package buffer_test

import (
	"testing"

	"github.com/tablewright/tablewright/limits"
	"github.com/tablewright/tablewright/session/buffer"
)

func TestOut(t *testing.T) {
	var o buffer.Out
	if o.Len() != 0 || o.Bytes() != nil {
		t.Errorf("an empty buffer holds %q", o.Bytes())
	}
	o.Release()
	for _, text := range []string{"short", string(make([]byte, 2*limits.WriteKeepBytesMax)), "short"} {
		o.Set(append(o.Take(), text...))
		o.Set(append(o.Take(), "!"...))
		if got := string(o.Bytes()); got != text+"!" || o.Len() != len(text)+1 {
			t.Errorf("%d bytes in, %d out", len(text)+1, o.Len())
		}
		o.Release()
		if o.Bytes() != nil {
			t.Error("a released buffer holds something")
		}
	}
}

// Two buffers in use share nothing, and one that was large is not kept.
func TestOutsAreApart(t *testing.T) {
	var a, b buffer.Out
	a.Set(append(a.Take(), "a"...))
	b.Set(append(b.Take(), "b"...))
	if string(a.Bytes()) != "a" || string(b.Bytes()) != "b" {
		t.Errorf("a holds %q, b %q", a.Bytes(), b.Bytes())
	}
	a.Set(append(a.Take(), make([]byte, 1<<20)...))
	a.Release()
	if c := cap(b.Take()); c > limits.WriteKeepBytesMax {
		t.Errorf("a buffer of %d bytes was kept", c)
	}
	b.Release()
	if c := cap(a.Take()); c > limits.WriteKeepBytesMax {
		t.Errorf("a buffer of %d bytes was kept", c)
	}
}
