package transparency

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// A rule makes equal what it is for, and nothing else.
func TestRulesKeepTheRest(t *testing.T) {
	for _, r := range rules {
		if r.reason == "" {
			t.Errorf("%s has no reason", r.pattern)
		}
		if a, b := normalise(r.same[0]), normalise(r.same[1]); a != b || r.same[0] == r.same[1] {
			t.Errorf("%s: %q and %q should become one, became %q and %q", r.pattern, r.same[0], r.same[1], a, b)
		}
		if a, b := normalise(r.other[0]), normalise(r.other[1]); a == b {
			t.Errorf("%s hides the difference of %q and %q", r.pattern, r.other[0], r.other[1])
		}
	}
}

// A value that is altered on its way, wherever it is in what the server says, stays visible.
func TestAlteredValueStaysVisible(t *testing.T) {
	for name, text := range map[string]string{
		"value":          "select '4711needle';",
		"number":         "select 47110815 as n;",
		"column":         `select 1 as "4711needle";`,
		"message":        `select "4711needle";`,
		"sqlstate":       "do $$ begin raise sqlstate 'N4711'; end $$;",
		"detail":         "do $$ begin raise exception 'x' using detail = '4711'; end $$;",
		"hint":           "do $$ begin raise notice 'x' using hint = '4711'; end $$;",
		"constraint":     "do $$ begin raise exception 'x' using constraint = 'c4711'; end $$;",
		"notification":   "listen ch; notify ch, '4711';",
		"channel":        "listen ch4711; notify ch4711;",
		"copied out":     "copy (values (4711)) to stdout;",
		"tag":            "create temp table t as select generate_series(1, 4711);",
		"large object":   "select lo_create(4711);",
		"setting":        "set application_name = 'app4711'; show application_name;",
		"explain":        "explain (costs off) select * from generate_series(1, 4711) g where g = 4711;",
		"looks like oid": "select 'lo_import 4711';",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "altered.sql")
			if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := readScript(path)
			if err != nil {
				t.Fatal(err)
			}
			truth := outputOf(t, s, shared.through())
			if again := outputOf(t, s, alter(t, "none", "none")); again != truth {
				t.Fatalf("through an honest proxy:\n%s\nwithout:\n%s", again, truth)
			}
			if altered := outputOf(t, s, alter(t, "4711", "4712")); altered == truth {
				t.Errorf("nothing is seen of the altered value in:\n%s", altered)
			}
		})
	}
}

func outputOf(t *testing.T, s script, on side) string {
	t.Helper()
	out, err := s.run(t.Context(), shared, on)
	if err != nil {
		t.Fatal(err)
	}
	return normalise(out)
}

// alter is the way through the gateway, with a proxy in it that alters what the gateway answers.
func alter(t *testing.T, from, to string) side {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			go proxy(client, from, to)
		}
	}()
	return side{"through a proxy", "127.0.0.1", ln.Addr().(*net.TCPAddr).Port}
}

// proxy carries one connection; an answer of a test is in one piece.
func proxy(client net.Conn, from, to string) {
	defer client.Close()
	gateway, err := net.Dial("tcp", shared.Address())
	if err != nil {
		return
	}
	defer gateway.Close()
	go func() {
		_, _ = io.Copy(gateway, client)
		gateway.Close()
	}()
	piece := make([]byte, 1<<16)
	for {
		n, err := gateway.Read(piece)
		if n > 0 {
			if _, err := client.Write(bytes.ReplaceAll(piece[:n], []byte(from), []byte(to))); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
