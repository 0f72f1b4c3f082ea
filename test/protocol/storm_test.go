package protocol

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

const (
	// framesDefault is how many hostile frames a run sends unless FRAMES says so: few enough for every run
	// of the tests.
	framesDefault = 8000
	// stormClients send them at the same time.
	stormClients = 8
	// burstMax is how many frames are sent before the session is asked whether it still answers.
	burstMax = 40
)

// storm sends frames that look right and are not, and some that are.
type storm struct {
	address string
	texts   []string // statements that are sent among others
	frames  int
	seed    uint64
}

// newStorm reads FRAMES and SEED.
func newStorm(t *testing.T, address string, texts []string) storm {
	t.Helper()
	s := storm{address: address, texts: texts, frames: framesDefault, seed: rand.Uint64()}
	for name, set := range map[string]func(uint64){
		"FRAMES": func(n uint64) { s.frames = int(n) }, "SEED": func(n uint64) { s.seed = n },
	} {
		text := os.Getenv(name)
		if text == "" {
			continue
		}
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		set(n)
	}
	t.Logf("%d frames, SEED=%d", s.frames, s.seed)
	return s
}

// run sends all frames. A session that neither answers nor ends is an error.
func (s storm) run(t *testing.T) {
	t.Helper()
	var wg sync.WaitGroup
	failed := make(chan error, stormClients)
	for i := range stormClients {
		wg.Go(func() {
			w := &stormClient{storm: s, rand: rand.New(rand.NewPCG(s.seed, uint64(i)))}
			if err := w.run(t, s.frames/stormClients); err != nil {
				failed <- fmt.Errorf("client %d: %w", i, err)
			}
		})
	}
	wg.Wait()
	close(failed)
	for err := range failed {
		t.Error(err)
	}
}

type stormClient struct {
	storm
	rand *rand.Rand
	conn *client
	mark int
	lied bool // a length of the burst takes in what follows
}

func (w *stormClient) run(t *testing.T, frames int) error {
	defer func() {
		if w.conn != nil {
			_ = w.conn.Close()
		}
	}()
	for sent := 0; sent < frames; {
		if w.conn == nil {
			conn, err := connect(t.Context(), w.address, nil)
			if err != nil {
				return err
			}
			w.conn = conn
		}
		n := 1 + w.rand.IntN(burstMax)
		sent += n
		if err := w.burst(n); err != nil {
			return err
		}
	}
	return nil
}

// burst sends n frames, then ends whatever they have begun and asks for a row that nobody else makes.
func (w *stormClient) burst(n int) error {
	var out []byte
	w.lied = false
	for range n {
		out = w.frame(out)
	}
	w.mark++
	want := fmt.Sprintf("mark %d of %d", w.mark, w.rand.Uint32())
	for _, m := range []pgproto3.FrontendMessage{
		&pgproto3.CopyFail{Message: "enough"}, &pgproto3.Sync{}, &pgproto3.Sync{},
		&pgproto3.Query{String: "rollback"}, &pgproto3.Query{String: "select '" + want + "'"},
	} {
		var err error
		if out, err = m.Encode(out); err != nil {
			return err
		}
	}
	var answers []byte
	written := make(chan error, 1)
	conn, lied := w.conn, w.lied
	go func() {
		err := conn.write(out)
		if lied && err == nil {
			err = conn.Conn.(*net.TCPConn).CloseWrite() // nothing more comes, so it cannot be waited for
		}
		written <- err
	}()
	for {
		f, err := w.conn.read()
		if err != nil {
			_ = w.conn.Close()
			<-written
			w.conn = nil
			if isEnd(err) {
				return nil // a frame that ends the session was among them
			}
			return fmt.Errorf("neither an answer nor an end: %w; sent\n%sanswered %q", err, frames(out), answers)
		}
		answers = append(answers, f.typ)
		if f.typ == 'D' && len(f.body) >= 6 && string(f.body[6:]) == want {
			break
		}
	}
	if err := <-written; err != nil || lied {
		_ = w.conn.Close()
		w.conn = nil
		if lied {
			return nil
		}
		return err
	}
	f, err := w.conn.read()
	for err == nil && f.typ != 'Z' {
		f, err = w.conn.read()
	}
	if err != nil || string(f.body) != "I" {
		return errors.Join(err, fmt.Errorf("the session ends up in state %q", f.body))
	}
	return nil
}

// frames lists what was sent, for whoever has to find out what was wrong with it.
func frames(out []byte) string {
	var b strings.Builder
	for len(out) >= 5 {
		n := min(max(int(binary.BigEndian.Uint32(out[1:])), 4), len(out)-1)
		fmt.Fprintf(&b, "  %c %q\n", out[0], out[5:1+n])
		out = out[1+n:]
	}
	return b.String()
}

// frame adds one message: as it should be, or damaged.
func (w *stormClient) frame(out []byte) []byte {
	start := len(out)
	m := w.message()
	out, err := m.Encode(out)
	if err != nil {
		return out[:start]
	}
	body := out[start+5:]
	switch w.rand.IntN(24) {
	case 0: // a body of another kind
		out[start] = "QPBDECHSFdcf"[w.rand.IntN(12)]
	case 1, 2: // bytes changed
		for range 1 + w.rand.IntN(4) {
			if len(body) > 0 {
				body[w.rand.IntN(len(body))] = byte(w.rand.Uint32())
			}
		}
	case 3: // cut
		out = out[:start+5+w.rand.IntN(len(body)+1)]
		binary.BigEndian.PutUint32(out[start+1:], uint32(len(out)-start-1))
	case 4: // more behind it
		out = append(out, make([]byte, w.rand.IntN(64))...)
		binary.BigEndian.PutUint32(out[start+1:], uint32(len(out)-start-1))
	case 5: // a length that is not its own
		if w.rand.IntN(8) == 0 {
			binary.BigEndian.PutUint32(out[start+1:], w.rand.Uint32())
			if w.rand.IntN(2) == 0 {
				binary.BigEndian.PutUint32(out[start+1:], 4+w.rand.Uint32N(500))
			}
			w.lied = true
		}
	case 6: // a type that does not exist
		if w.rand.IntN(8) == 0 {
			out[start] = byte(w.rand.Uint32())
		}
	}
	return out
}

// message is one of the protocol, with names that were or were not given before.
func (w *stormClient) message() pgproto3.FrontendMessage {
	switch w.rand.IntN(16) {
	case 0, 1, 2:
		return &pgproto3.Parse{Name: w.name(), Query: w.text(), ParameterOIDs: w.types()}
	case 3, 4, 5:
		return &pgproto3.Bind{
			DestinationPortal: w.name(), PreparedStatement: w.name(), Parameters: w.values(),
			ParameterFormatCodes: w.formats(), ResultFormatCodes: w.formats(),
		}
	case 6, 7, 8:
		return &pgproto3.Execute{Portal: w.name(), MaxRows: uint32(w.rand.IntN(3))}
	case 9:
		return &pgproto3.Describe{ObjectType: "SP"[w.rand.IntN(2)], Name: w.name()}
	case 10:
		return &pgproto3.Close{ObjectType: "SP"[w.rand.IntN(2)], Name: w.name()}
	case 11:
		return &pgproto3.Sync{}
	case 12:
		return &pgproto3.Flush{}
	case 13, 14:
		return &pgproto3.Query{String: w.text()}
	default:
		switch w.rand.IntN(4) {
		case 0:
			return &pgproto3.CopyData{Data: []byte("1\n")}
		case 1:
			return &pgproto3.CopyDone{}
		case 2:
			return &pgproto3.CopyFail{Message: "no"}
		default:
			return &pgproto3.FunctionCall{Function: w.rand.Uint32N(3000), Arguments: w.values()}
		}
	}
}

func (w *stormClient) name() string { return []string{"", "", "a", "b", "c", "tw_own"}[w.rand.IntN(6)] }

func (w *stormClient) text() string { return w.texts[w.rand.IntN(len(w.texts))] }

func (w *stormClient) types() []uint32 {
	return [][]uint32{nil, nil, {23}, {25, 0}, {17}, {4294967295}}[w.rand.IntN(6)]
}

func (w *stormClient) values() [][]byte {
	return [][][]byte{nil, nil, {[]byte("1")}, {nil}, {[]byte("x"), []byte("2")}, {{0, 0, 0, 1}}}[w.rand.IntN(6)]
}

func (w *stormClient) formats() []int16 {
	return [][]int16{nil, nil, {0}, {1}, {0, 1}, {7}}[w.rand.IntN(6)]
}

// ordinaryTexts name nothing of an external system.
func ordinaryTexts() []string {
	return []string{
		"", ";", "-- nothing", "select 1", "select $1::int", "select $1::text, $2::int", "select generate_series(1, 5)", "selec",
		"select 1/0", "select * from nope", "begin", "commit", "rollback", "savepoint a", "rollback to a", "release a",
		"select 1; select 2", "begin; select 1", "select 1; commit; select 1/0", "begin; selec", "create temp table t (a int)",
		"drop table t", "insert into t values (1)", "copy t from stdin", "copy (select 1) to stdout", "deallocate all",
		"deallocate a", "discard all", "prepare a as select 1", "execute a", "declare a cursor for select 1", "fetch a", "close all",
		"set application_name = 'x'", "set client_encoding = 'LATIN1'", "reset all", "listen l", "notify l", "do $$ begin raise notice 'n'; end $$",
		"explain select 1", "show all", "\x00", "select '\xff'", "show jobs", "show catalogs", "show jobs; select 1",
		"wait for job '00000000-0000-0000-0000-000000000000'", "describe pg_class",
	}
}

// waitFor asks until it is so, or the time is over.
func waitFor(d time.Duration, so func() bool) bool {
	for deadline := time.Now().Add(d); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if so() {
			return true
		}
	}
	return so()
}
