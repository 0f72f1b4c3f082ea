package apply

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

func TestSubstitute(t *testing.T) {
	t.Parallel()
	variables := map[string]string{"a": "x", "long.name-1": "two\nlines", "empty": "", "tricky": "${a}"}
	for text, want := range map[string]string{
		"plain $1 $a {a} $$ text $$": "plain $1 $a {a} $$ text $$",
		"${a}${a}-${long.name-1}":    "xx-two\nlines",
		"[${empty}]":                 "[]",
		"$${a} $${unknown}":          "${a} ${unknown}",
		"${tricky}":                  "${a}", // a value is not looked into
		`as $${"json": 1}$$`:         `as $${"json": 1}$$`,
		"ü${a}ü":                     "üxü",
	} {
		rw, err := substitute(text, variables)
		if err != nil || rw.Text() != want {
			t.Errorf("%q: %v, %v", text, rw, err)
		}
	}
	for text, want := range map[string]int{"ü ${b}": 3, "${": 1, "x${a b}": 2, "${1}": 1, "${a": 1, "${}": 1} {
		if _, err := substitute(text, variables); err == nil || err.Position != want {
			t.Errorf("%q: %v, want it at %d", text, err, want)
		}
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	got, err := parseVariables([]string{"a=1", "b=x=y", "c=", "a=2"})
	if diff := cmp.Diff(map[string]string{"a": "2", "b": "x=y", "c": ""}, got); err != nil || diff != "" {
		t.Fatalf("%v\n%s", err, diff)
	}
	for _, bad := range []string{"", "a", "=x", "1=x", "a b=x", "${a}=1"} {
		if _, err := parseVariables([]string{bad}); err == nil || strings.Contains(err.Error(), "=x") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestOrder: byte order of the whole path, what begins with a dot left out, links as a config map has them.
func TestOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, path := range []string{"b.sql", "a/2.sql", "a/10.sql", "a-1.sql", "a.sql", "B.sql", "é.sql", "x.txt", ".h.sql", ".d/y.sql", "z.SQL", "z.sql/in.sql"} {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte("\ufeffselect 1"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, ".h.sql"), filepath.Join(dir, "link.sql")); err != nil {
		t.Fatal(err)
	}
	sources, err := readSources([]string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range sources {
		names = append(names, s.name)
		if s.text != "select 1" {
			t.Errorf("%s: %q", s.name, s.text)
		}
	}
	want := []string{"B.sql", "a-1.sql", "a.sql", "a/10.sql", "a/2.sql", "b.sql", "link.sql", "z.sql/in.sql", "é.sql"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Fatalf("order (-want +got):\n%s", diff)
	}
	file := filepath.Join(dir, "x.txt")
	sources, err = readSources([]string{"-", file, filepath.Join(dir, "a")}, strings.NewReader("select 2"))
	if err != nil || len(sources) != 4 || sources[0].text != "select 2" || sources[1].name != file ||
		sources[2].name != filepath.Join(dir, "a", "10.sql") {
		t.Fatalf("%v, %v", sources, err)
	}
	if _, err := readSources([]string{filepath.Join(dir, "nowhere")}, nil); err == nil {
		t.Error("a folder that is not there is no error")
	}
	if _, err := readSources([]string{t.TempDir()}, nil); err == nil {
		t.Error("an empty folder is no error")
	}
}

// TestPlaces: lines and columns of the file, whatever variables bring with them and whatever the letters.
func TestPlaces(t *testing.T) {
	t.Parallel()
	text := "-- Größe\r\n/* ü\n */ select '${two}', 'ü'; select\n  '日本', \"x\";\n\nselect 3"
	s, _, err := newScript(source{name: "f", text: text}, map[string]string{"two": "a\nb\nc"})
	if err != nil {
		t.Fatal(err)
	}
	var got []place
	for i := range s.statements {
		got = append(got, s.placeIn(&s.statements[i], 0))
	}
	second := &s.statements[1]
	position := characterAt(second.Text, strings.Index(second.Text, `"x"`))
	got = append(got, s.placeIn(second, position), s.place(len(s.rewrite.Text())))
	want := []place{{3, 5}, {3, 27}, {6, 1}, {4, 9}, {6, 9}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(place{})); diff != "" {
		t.Fatalf("places (-want +got):\n%s", diff)
	}
}

// TestRefusedFiles: what cannot be run is told with its place before anything runs.
func TestRefusedFiles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		code string
		at   place
	}{
		"select 1;\n  \\i x.sql":                      {sqlerr.FeatureNotSupported, place{2, 3}},
		"select '\\i';\nselect 1 \\gexec":             {sqlerr.FeatureNotSupported, place{2, 10}},
		"ü;\ncopy t from stdin;\n1\t2\n\\.\n":         {sqlerr.FeatureNotSupported, place{4, 1}},
		"select 1;\n/* ü */ copy t to stdout":         {sqlerr.FeatureNotSupported, place{2, 9}},
		"begin;\nprepare transaction 'x'":             {sqlerr.FeatureNotSupported, place{2, 1}},
		"select 1;\n\nselect '${nope}'":               {sqlerr.UndefinedObject, place{3, 9}},
		"select 1;\nselect 'ü\xff'":                   {sqlerr.CharacterNotInRepertoire, place{2, 10}},
		"create schema a.b;\ncreate catalog c whit (": {sqlerr.SyntaxError, place{2, 18}},
		"select 'open":                                {sqlerr.SyntaxError, place{1, 8}},
	} {
		_, at, err := newScript(source{name: "f", text: text}, nil)
		if err == nil || sqlerr.From(err).Code != want.code || at != want.at {
			t.Errorf("%q: %v at %v, want %v", text, err, at, want)
		}
	}
	for _, text := range []string{"", "-- nothing\n;;", "copy t from '/file'", "select E'a\\nb'", "create function f() returns int language sql begin atomic; select 1; end"} {
		if _, at, err := newScript(source{name: "f", text: text}, nil); err != nil {
			t.Errorf("%q: %v at %v", text, err, at)
		}
	}
}

func TestCatalogOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"lake.s.t": "lake", `"a.b".t`: `"a.b"`, "x": "x"} {
		if got := catalogOf(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
