package transparency

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// A file of testdata/different holds a script that must give something else through the gateway: its comment
// says why, and both answers are held to the byte.
func TestDifferent(t *testing.T) {
	for _, s := range differing(t) {
		t.Run(strings.TrimSuffix(filepath.Base(s.path), ".txtar"), func(t *testing.T) { different(t, s) })
	}
}

// differing reads the scripts of testdata/different.
func differing(t *testing.T) []script {
	t.Helper()
	paths, err := filepath.Glob("testdata/different/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	var list []script
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(archive.Comment) == 0 || len(archive.Files) == 0 {
			t.Fatalf("%s says no reason or has no script", path)
		}
		s, err := parseScript(path, string(archive.Files[0].Data))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

func different(t *testing.T, s script) {
	t.Helper()
	archive, err := txtar.ParseFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	held := map[string]string{}
	for _, f := range archive.Files[1:] {
		held[f.Name] = string(f.Data)
	}
	for _, on := range []side{shared.direct(), shared.through()} {
		out, err := s.run(t.Context(), shared, on)
		if err != nil {
			t.Fatal(err)
		}
		out = normalise(out)
		if os.Getenv("UPDATE_DIFFERENT") != "" {
			held[on.name] = out
		}
		if diff := cmp.Diff(held[on.name], out); diff != "" {
			t.Errorf("%s (-held +got):\n%s", on.name, diff)
		}
	}
	if held["directly"] == held["through the gateway"] {
		t.Error("both are the same: the script belongs to the corpus")
	}
	if os.Getenv("UPDATE_DIFFERENT") != "" {
		archive.Files = archive.Files[:1]
		for _, name := range []string{"directly", "through the gateway"} {
			archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(held[name])})
		}
		if err := os.WriteFile(s.path, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
