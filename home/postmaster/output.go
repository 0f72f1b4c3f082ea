package postmaster

import (
	"bytes"
	"strings"
	"sync"

	"github.com/rs/zerolog"
)

const (
	outputLineMax = 8 << 10 // bytes of one line that are kept
	outputTailMax = 5       // lines that an error quotes
)

// output passes the server's messages on to the log, line by line, and keeps the last complaints for
// the error that tells why it ended.
type output struct {
	log zerolog.Logger

	mu      sync.Mutex
	partial []byte
	last    []string
}

func newOutput(log zerolog.Logger) *output {
	return &output{log: log.With().Str("component", "home").Logger()}
}

// Write takes what the server printed. It never fails: the server must not stop because of a log.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(b)
	for {
		line, rest, complete := bytes.Cut(b, []byte("\n"))
		if room := outputLineMax - len(o.partial); room > 0 {
			o.partial = append(o.partial, line[:min(len(line), room)]...)
		}
		if !complete {
			return n, nil
		}
		o.line(string(o.partial))
		o.partial = o.partial[:0]
		b = rest
	}
}

func (o *output) line(text string) {
	text = strings.TrimSpace(text)
	level, complaint := severity(text)
	if complaint {
		o.last = append(o.last, text)
		o.last = o.last[max(len(o.last)-outputTailMax, 0):]
	}
	if strings.HasSuffix(text, "the database system is starting up") {
		level = zerolog.DebugLevel // the answer to our own asking whether it is ready
	}
	o.log.WithLevel(level).Msg(text)
}

// severity is the log level of a line. Errors of statements are the clients' affair and not logged as
// the gateway's; silence means health.
func severity(text string) (zerolog.Level, bool) {
	word, _, _ := strings.Cut(text, ":")
	switch word {
	case "PANIC", "FATAL":
		return zerolog.WarnLevel, true
	case "DETAIL", "HINT", "postgres":
		return zerolog.DebugLevel, true
	default:
		return zerolog.DebugLevel, false
	}
}

func (o *output) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.last, "; ")
}
