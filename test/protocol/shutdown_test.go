package protocol

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/test/gatewaytest"
)

// Row 45: whatever a client is in the middle of when the time to shut down is over, the last that it hears
// is 57P01, once.
func TestShutdownSaysSo(t *testing.T) {
	g, err := gatewaytest.Start(context.WithoutCancel(t.Context()), "TABLEWRIGHT_DRAIN_TIMEOUT=300ms")
	if err != nil {
		t.Fatal(err)
	}
	clients := map[string]*client{}
	for name, sql := range map[string]string{
		"idle":                  "select 1",
		"in a transaction":      "begin",
		"in a failed one":       "begin; select 1/0",
		"in a statement":        "do $$ begin raise notice 'on its way'; perform pg_sleep(60); end $$",
		"in the data of a COPY": "create temp table t (a int); copy t from stdin",
	} {
		c, err := connect(t.Context(), g.Address(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.send(&pgproto3.Query{String: sql}); err != nil {
			t.Fatal(err)
		}
		for {
			f, err := c.read()
			if err != nil {
				t.Fatal(err)
			}
			if strings.ContainsRune("ZNG", rune(f.typ)) {
				break
			}
		}
		clients[name] = c
	}
	began := time.Now()
	if err := g.Stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 9*time.Second {
		t.Errorf("it took %s", took)
	}
	for name, c := range clients {
		frames, end := c.receive(nil)
		shown := show(frames, end)
		if n := strings.Count(shown, `"57P01"`); n != 1 || !strings.HasSuffix(shown, "end\n") || frames[len(frames)-1].typ != 'E' {
			t.Errorf("a client %s was told:\n%s", name, shown)
		}
		_ = c.Close()
	}
}
