package faults

import (
	"strings"
	"sync"
)

// mode is how a call is hindered.
type mode string

const (
	refused mode = "refused" // the server answers it with an error
	unheard mode = "unheard" // the connection ends before the call reaches the server
	untold  mode = "untold"  // the server carries it out, and the connection ends before its answer is back
	outage  mode = "outage"  // as unheard, and the system is not there from then on
)

// faults decides, for all systems of a test together, which call is hindered. A call is one statement that
// the gateway sends to a system.
type faults struct {
	mu    sync.Mutex
	armed bool
	at    int // the call that is hindered, from 1; 0: none
	mode  mode
	count int
	calls []string
	hit   string // the text of the call that was hindered
	down  bool
}

// arm has the at-th call from now on hindered.
func (f *faults) arm(at int, m mode) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed, f.at, f.mode, f.count, f.calls, f.hit, f.down = true, at, m, 0, nil, "", false
}

// rest ends it: what was hit, or nothing, and the calls so far.
func (f *faults) rest() (hit string, calls []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed, f.down = false, false
	return f.hit, f.calls
}

// sent counts the calls so far that carry out the work which the words name.
func (f *faults) sent(words string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, call := range f.calls {
		text := strings.ToLower(strings.ReplaceAll(call, `"`, ""))
		if strings.Contains(text+" ", words+" ") {
			n++
		}
	}
	return n
}

// next judges one call.
func (f *faults) next(sql string) mode {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down {
		return outage
	}
	if !f.armed {
		return ""
	}
	f.count++
	f.calls = append(f.calls, sql)
	if f.count != f.at {
		return ""
	}
	f.hit = sql
	f.down = f.mode == outage
	return f.mode
}

func (f *faults) isDown() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.down
}
