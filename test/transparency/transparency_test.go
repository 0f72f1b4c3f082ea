// Package transparency runs ordinary SQL scripts with psql twice, directly on the gateway's own home server
// and through the gateway, and compares what psql prints byte for byte.
package transparency

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shared is the gateway of all tests. Scripts run one after another: each has the server for itself.
var shared *gateway

func TestMain(m *testing.M) {
	var err error
	if shared, err = startGateway(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "transparency:", err)
		os.Exit(1)
	}
	code := 1
	if err := shared.manage(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "transparency:", err)
	} else {
		code = m.Run()
	}
	if err := shared.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "transparency:", err)
		code = 1
	}
	os.Exit(code)
}

// corpus reads all scripts below testdata/sql.
func corpus(t *testing.T) []script {
	t.Helper()
	var list []script
	err := filepath.WalkDir("testdata/sql", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		s, err := readScript(path)
		list = append(list, s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// What a script gives through the gateway is what it gives without it.
func TestCorpus(t *testing.T) {
	for _, s := range corpus(t) {
		name := strings.TrimSuffix(strings.TrimPrefix(s.path, "testdata/sql/"), ".sql")
		t.Run(name, func(t *testing.T) { compare(t, shared, s) })
	}
}

// compare runs a script on both sides of a gateway.
func compare(t *testing.T, g *gateway, s script) {
	t.Helper()
	var outputs [2]string
	for i, on := range []side{g.direct(), g.through()} {
		out, err := s.run(t.Context(), g, on)
		if err != nil {
			t.Fatal(err)
		}
		outputs[i] = normalise(out)
	}
	if os.Getenv("TRANSPARENCY_SHOW") != "" {
		t.Log(outputs[0])
	}
	if diff := cmp.Diff(outputs[0], outputs[1]); diff != "" {
		t.Errorf("(-directly +through the gateway):\n%s", diff)
	}
}
