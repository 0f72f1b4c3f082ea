package protocol

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
)

// scriptsMin is how many conversations there are at least.
const scriptsMin = 80

func TestScripts(t *testing.T) {
	both, own := scripts(t, "both"), scripts(t, "own")
	if n := len(both) + len(own); n < scriptsMin {
		t.Errorf("%d scripts, want %d", n, scriptsMin)
	}
	// The reference comes first: with -rewrite its answers are what the gateway is then held to.
	t.Run("postgres", func(t *testing.T) {
		runAll(t, both, fmt.Sprintf("%s:%d", pgserver.Host, reference.Port))
	})
	t.Run("tablewright", func(t *testing.T) {
		if rewriting() {
			t.Skip("what both must answer was written down from PostgreSQL; run again without -rewrite")
		}
		runAll(t, both, gateway.Address())
	})
	t.Run("own", func(t *testing.T) { runAll(t, own, gateway.Address()) })
}

func rewriting() bool {
	for _, a := range os.Args {
		if a == "-rewrite" || a == "-rewrite=true" {
			return true
		}
	}
	return false
}

func scripts(t *testing.T, folder string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func runAll(t *testing.T, paths []string, address string) {
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			c := &conversation{address: address, clients: map[string]*client{}, values: map[string]string{}}
			datadriven.RunTest(t, path, c.step)
			c.end(t)
		})
	}
}

// conversation is a script that runs: its connections by name, and values that it has kept.
type conversation struct {
	address string
	clients map[string]*client
	values  map[string]string
}

// step runs one step of a script:
//
//	connect [as=name]              logs in; the input are startup parameters, name = value
//	dial [as=name]                 opens a connection and says nothing
//	greeting [as=name]             shows what the login was answered
//	send [as=name] [ready=n | until=(Type, …) | end | byte | nothing]
//	                               sends messages in one piece and shows what is answered: up to as many
//	                               ReadyForQuery as there are Sync, Query and FunctionCall messages, or n,
//	                               up to messages of the given types in this order, up to the end of the
//	                               connection, or one byte
//	keep name [as=name]            like send, and keeps the first value of the last row for $name
//
// A connection called main is opened by the first step that needs it.
func (c *conversation) step(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	name := "main"
	d.MaybeScanArgs(t, "as", &name)
	switch d.Cmd {
	case "connect":
		return c.connect(t, name, d.Input)
	case "dial":
		opened, err := dial(t.Context(), c.address)
		if err != nil {
			t.Fatal(err)
		}
		c.clients[name] = opened
		return ""
	case "greeting":
		return show(c.client(t, name).greeting, "")
	case "send":
		frames, end := c.send(t, name, d)
		return show(frames, end)
	case "keep":
		frames, end := c.send(t, name, d)
		if end != "" {
			t.Fatal(end)
		}
		c.values[d.CmdArgs[0].Key] = lastValue(t, frames)
		return ""
	default:
		t.Fatalf("no step is called %s", d.Cmd)
		return ""
	}
}

func (c *conversation) connect(t *testing.T, name, input string) string {
	t.Helper()
	parameters := map[string]string{}
	for line := range strings.Lines(input) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " = ")
		parameters[key] = value
	}
	opened, err := connect(context.WithoutCancel(t.Context()), c.address, parameters)
	if err != nil {
		return normalise(err.Error()) + "\n"
	}
	c.clients[name] = opened
	return ""
}

// client is a connection, opened now if it is the main one.
func (c *conversation) client(t *testing.T, name string) *client {
	t.Helper()
	if c.clients[name] == nil {
		if name != "main" {
			t.Fatalf("no connection is called %s", name)
		}
		if failed := c.connect(t, name, ""); failed != "" {
			t.Fatal(failed)
		}
	}
	return c.clients[name]
}

func (c *conversation) send(t *testing.T, name string, d *datadriven.TestData) (frames []frame, end string) {
	t.Helper()
	conn := c.client(t, name)
	input := d.Input
	for k, v := range c.values {
		input = strings.ReplaceAll(input, "$"+k, v)
	}
	out, err := parseMessages(input, func(of string) (uint32, uint32) {
		other := c.client(t, of)
		return other.pid, other.secret
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.write(out); err != nil && !d.HasArg("end") {
		t.Fatal(err)
	}
	switch {
	case d.HasArg("nothing"):
		return nil, ""
	case d.HasArg("byte"):
		if err := conn.SetReadDeadline(time.Now().Add(answerMax)); err != nil {
			t.Fatal(err)
		}
		b, err := conn.r.ReadByte()
		if err != nil {
			return nil, err.Error()
		}
		return nil, fmt.Sprintf("byte %q", b)
	}
	return conn.receive(wanted(t, d, input))
}

// wanted lists the types of message that a step waits for; nil stands for the end of the connection.
func wanted(t *testing.T, d *datadriven.TestData, input string) []string {
	t.Helper()
	if d.HasArg("end") {
		return nil
	}
	for _, arg := range d.CmdArgs {
		switch arg.Key {
		case "until":
			return arg.Vals
		case "ready":
			n, err := strconv.Atoi(arg.Vals[0])
			if err != nil {
				t.Fatal(err)
			}
			return ready(n)
		}
	}
	n := 0
	for line := range strings.Lines(input) {
		switch typ, _, _ := strings.Cut(strings.TrimSpace(line), " "); typ {
		case "Sync", "Query", "FunctionCall":
			n++
		}
	}
	return ready(n)
}

func ready(n int) []string {
	types := make([]string, n)
	for i := range types {
		types[i] = "ReadyForQuery"
	}
	return types
}

// receive reads messages until one of each wanted type has come, in order; nil means to the end.
func (c *client) receive(wanted []string) (frames []frame, end string) {
	toEnd := wanted == nil
	for toEnd || len(wanted) > 0 {
		f, err := c.read()
		switch {
		case err != nil && toEnd && isEnd(err):
			return frames, "end"
		case err != nil:
			return frames, "no answer: " + reasonOf(err)
		}
		frames = append(frames, f)
		if !toEnd && typeOf(f) == wanted[0] {
			wanted = wanted[1:]
		}
	}
	return frames, ""
}

// reasonOf is an error without addresses.
func reasonOf(err error) string {
	if isEnd(err) {
		return "end"
	}
	return "waited in vain"
}

func show(frames []frame, end string) string {
	var b strings.Builder
	for _, f := range frames {
		b.WriteString(normalise(render(f)) + "\n")
	}
	if end != "" {
		b.WriteString(end + "\n")
	}
	return b.String()
}

// lastValue is the first value of the last row.
func lastValue(t *testing.T, frames []frame) string {
	t.Helper()
	for _, frame := range slices.Backward(frames) {
		if frame.typ != 'D' {
			continue
		}
		size := int(frame.body[5])
		return string(frame.body[6 : 6+size])
	}
	t.Fatal("no row to keep a value of")
	return ""
}

// end closes what is open. A message that no step has waited for is one too many.
func (c *conversation) end(t *testing.T) {
	t.Helper()
	for name, conn := range c.clients {
		for _, f := range conn.close() {
			t.Errorf("connection %s was sent one message more: %s", name, normalise(render(f)))
		}
	}
}
