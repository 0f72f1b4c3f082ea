package protocol

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/limits"
)

const (
	// growthMax is how much the gateway may grow under attack, the working memory of the runtime included.
	growthMax = 128 << 20
	// settleMax is how long it may take to let go of what clients have left.
	settleMax = 30 * time.Second
)

// watched runs an attack and checks that the gateway serves others meanwhile, has not grown and keeps
// nothing of it.
func watched(t *testing.T, attack func()) {
	t.Helper()
	metric := func(name string) float64 {
		v, err := gateway.Metric(context.Background(), name)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	sessions, routines := metric("tablewright_connections_open"), metric("go_goroutines")
	memory, faults := metric("process_resident_memory_bytes"), strings.Count(gateway.Log(), "ended by a fault")
	attack()
	if grown := metric("process_resident_memory_bytes") - memory; grown > growthMax {
		t.Errorf("the gateway has grown by %.0f MiB", grown/(1<<20))
	} else {
		t.Logf("the gateway has grown by %.1f MiB", grown/(1<<20))
	}
	if n := strings.Count(gateway.Log(), "ended by a fault") - faults; n > 0 {
		t.Errorf("%d sessions ended by a fault", n)
	}
	if !waitFor(settleMax, func() bool { return metric("tablewright_connections_open") <= sessions }) {
		t.Errorf("%.0f connections are left, %.0f before", metric("tablewright_connections_open"), sessions)
	}
	// Those of idle HTTP connections and timers come and go.
	const others = 10
	if !waitFor(settleMax, func() bool { return metric("go_goroutines") <= routines+others }) {
		t.Errorf("%.0f goroutines are left, %.0f before", metric("go_goroutines"), routines)
	}
	mustServe(t)
}

// mustServe tells whether a well-behaved client is served.
func mustServe(t *testing.T) {
	t.Helper()
	c, err := connect(context.WithoutCancel(t.Context()), gateway.Address(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if err := c.exec("select 1"); err != nil {
		t.Fatal(err)
	}
}

// Sequences of frames that look right, sent to the gateway, managed tables among their statements.
func TestHostileFrames(t *testing.T) {
	c, err := connect(t.Context(), gateway.Address(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for _, sql := range []string{"create table shop.app.storm (id int)", "insert into shop.app.storm values (1), (2), (3)"} {
		if err := c.exec(sql); err != nil {
			t.Fatal(err)
		}
	}
	texts := append(ordinaryTexts(),
		"select * from shop.app.storm", "select id + $1 from \"shop.app\".storm", "explain create table shop.app.n (id int)",
		"create table shop.app.storm (id int)", "drop table shop.app.absent", "drop table if exists shop.app.absent",
		"select 1; select id from shop.app.storm", "insert into shop.app.storm values ($1, $2)", "create table shop.nowhere.t (a int)",
	)
	if os.Getenv("FRAMES") == "" {
		texts = append(texts, "begin; create table shop.app.storm2 (id int)", "create table if not exists shop.app.storm (id int)")
	}
	s := newStorm(t, gateway.Address(), texts)
	watched(t, func() { s.run(t) })
	if err := c.exec("drop table shop.app.storm"); err != nil {
		t.Error(err)
	}
}

// Clients that begin and do not go on.
func TestHostileSilence(t *testing.T) {
	watched(t, func() {
		startup := message{Parameters: []string{"user", user, "database", "tablewright"}}.startup(nil)
		var held []*client
		for i := range 300 {
			c, err := dial(t.Context(), gateway.Address())
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, c)
			if err := c.write(startup[:i%len(startup)]); err != nil { // half-open, and slow from here on
				t.Fatal(err)
			}
		}
		mustServe(t)
		for i, c := range held {
			if at := i % len(startup); at < len(startup) {
				_ = c.write(startup[at : at+1]) // one byte more; it may have been closed
			}
		}
		mustServe(t)
		for _, c := range held {
			_ = c.Close()
		}
	})
}

// Lengths of 4 GiB cost nothing.
func TestHostileLengths(t *testing.T) {
	watched(t, func() {
		for i := range 200 {
			c, err := connect(t.Context(), gateway.Address(), nil)
			if err != nil {
				t.Fatal(err)
			}
			head := []byte{"QPBFdSDEC"[i%9], 0xff, 0xff, 0xff, 0xf0}
			if i%2 == 0 {
				binary.BigEndian.PutUint32(head[1:], 64<<20) // as long as a Query may be, and never sent
			}
			if err := c.write(head); err != nil {
				t.Fatal(err)
			}
			defer c.Close()
		}
	})
}

// A client that asks for much and reads nothing holds up no one and costs no memory.
func TestHostileNoReads(t *testing.T) {
	watched(t, func() {
		var held []*client
		for range 10 {
			c, err := connect(t.Context(), gateway.Address(), nil)
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, c)
			if err := c.send(&pgproto3.Query{String: "select repeat('x', 1000000) from generate_series(1, 1000)"}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		mustServe(t)
		for _, c := range held {
			_ = c.Close()
		}
	})
}

// What is no protocol at all, with and without asking for encryption first.
func TestHostileGarbage(t *testing.T) {
	watched(t, func() {
		r := rand.New(rand.NewPCG(1, 2))
		for i := range 400 {
			c, err := dial(t.Context(), gateway.Address())
			if err != nil {
				t.Fatal(err)
			}
			garbage := make([]byte, 1+r.IntN(2000))
			for j := range garbage {
				garbage[j] = byte(r.Uint32())
			}
			switch i % 4 {
			case 0:
				copy(garbage, []byte{0x16, 3, 1, 2, 0, 1}) // a ClientHello that is none
			case 1:
				garbage = append(binary.BigEndian.AppendUint64(nil, 8<<32|80877103), garbage...)
			case 2:
				garbage = append([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), garbage...)
			}
			_ = c.write(garbage) // it may be closed while this is written
			_ = c.Close()
		}
	})
}

// parsesMax is how long the gateway may take for what has been sent at once.
const parsesMax = 2 * time.Minute

// Very many statements are prepared; PARSES says how many.
func TestHostileParses(t *testing.T) {
	parses := 20_000
	if text := os.Getenv("PARSES"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		parses = n
	}
	watched(t, func() {
		c, err := connect(t.Context(), gateway.Address(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		done := make(chan error, 1)
		go func() {
			_, err := io.Copy(io.Discard, c.r)
			done <- err
		}()
		var out []byte
		for i := range parses {
			m := &pgproto3.Parse{Query: fmt.Sprintf("show jobs limit %d", i%50)}
			if i%10 == 0 {
				m.Name = fmt.Sprintf("s%d", i%500)
				if out, err = (&pgproto3.Close{ObjectType: 'S', Name: m.Name}).Encode(out); err != nil {
					t.Fatal(err)
				}
			}
			if out, err = m.Encode(out); err != nil {
				t.Fatal(err)
			}
			if len(out) > 32<<10 || i == parses-1 {
				// What the kernel holds between us and the gateway is many thousand statements.
				if err := c.SetDeadline(time.Now().Add(parsesMax)); err != nil {
					t.Fatal(err)
				}
				if _, err := c.Write(out); err != nil {
					t.Fatalf("after %d: %v", i, err)
				}
				out = out[:0]
			}
		}
		if err := c.send(&pgproto3.Sync{}, &pgproto3.Terminate{}); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	})
}

// Row 35 of section 3: statements begun and cancelled at once, and keys that are nobody's. CANCELS is how many
// for each of twice as many clients.
func TestHostileCancels(t *testing.T) {
	clients, times := 20, 25
	if text := os.Getenv("CANCELS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		clients, times = 2*clients, n
	}
	watched(t, func() {
		var wg sync.WaitGroup
		failed := make(chan error, clients)
		var refused atomic.Int64
		start := time.Now()
		for i := range clients {
			wg.Go(func() {
				if err := cancelAgainAndAgain(t, i, times, &refused); err != nil {
					failed <- err
				}
			})
		}
		wg.Wait()
		close(failed)
		for err := range failed {
			t.Error(err)
		}
		all := int64(2 * clients * times)
		t.Logf("%d cancels, %d of them one connection too many", all, refused.Load())
		admitted := int64(float64(limits.Defaults().ConnectionsPerSecondMax) * time.Since(start).Seconds())
		if looked := all - refused.Load(); looked < min(all, admitted)/2 {
			t.Errorf("%d cancels were looked at, of the %d connections that one address may make", looked, admitted)
		}
	})
}

// cancelAgainAndAgain counts in refused the cancels that were more connections than an address may make.
func cancelAgainAndAgain(t *testing.T, i, times int, refused *atomic.Int64) error {
	c, err := connect(t.Context(), gateway.Address(), nil)
	if err != nil {
		return err
	}
	defer c.close()
	for n := range times {
		sql := "select pg_sleep(0.02)"
		if n%5 == 0 {
			sql = fmt.Sprintf("create table if not exists shop.app.cancelled_%d (id int)", i)
		}
		if err := c.send(&pgproto3.Query{String: sql}); err != nil {
			return err
		}
		for _, secret := range []uint32{c.secret, c.secret + 1} {
			canceller, err := dial(t.Context(), gateway.Address())
			if err != nil {
				return err
			}
			request, err := (&pgproto3.CancelRequest{ProcessID: c.pid, SecretKey: binary.BigEndian.AppendUint32(nil, secret)}).Encode(nil)
			if err != nil {
				return err
			}
			if err := canceller.write(request); err != nil {
				return err
			}
			f, err := canceller.read()
			if err == nil && f.typ == 'E' && strings.Contains(string(f.body), "C53300") {
				_ = canceller.Close() // what it wants is not looked at
				refused.Add(1)
				continue
			}
			if !isEnd(err) {
				return fmt.Errorf("a cancel was answered: %v, %w", f, err)
			}
			_ = canceller.Close()
		}
		for {
			f, err := c.read()
			if err != nil {
				return fmt.Errorf("after a cancel: %w", err)
			}
			if f.typ == 'E' && !strings.Contains(string(f.body), "C57014") && !strings.Contains(string(f.body), "C55006") {
				return fmt.Errorf("after a cancel: %s", render(f))
			}
			if f.typ == 'Z' {
				break
			}
		}
	}
	return nil
}

// Row 35 of section 1: a client that writes much more while it is told of a job's progress, and reads
// nothing before it has written all, is served to the end.
func TestWritingWhileNotified(t *testing.T) {
	c, err := connect(t.Context(), gateway.Address(), map[string]string{"options": "-c tablewright.notice_after=0"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if err := c.exec("create schema lake.talk"); err != nil {
		t.Fatal(err)
	}
	messages := []pgproto3.FrontendMessage{&pgproto3.Query{String: "create table lake.talk.much (id bigint)"}}
	const more = 64
	for range more {
		messages = append(messages, &pgproto3.Query{String: "select 1 /* " + strings.Repeat("x", 128<<10) + " */"})
	}
	if err := c.send(messages...); err != nil {
		t.Fatalf("the gateway does not read on: %v", err)
	}
	notices := 0
	for ready := 0; ready <= more; {
		f, err := c.read()
		if err != nil {
			t.Fatal(err)
		}
		switch f.typ {
		case 'N':
			notices++
		case 'E':
			t.Fatal(render(f))
		case 'Z':
			ready++
		}
	}
	if notices == 0 {
		t.Error("no notice came, so nothing was proved")
	}
	for _, sql := range []string{"drop table lake.talk.much", "drop schema lake.talk"} {
		if err := c.exec(sql); err != nil {
			t.Error(err)
		}
	}
}
