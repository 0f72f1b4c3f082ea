//go:build linux && cgo

package nodepack

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pganalyze/pg_query_go/v6/parser"
)

// corpus is the statements of the transparency scripts, which have every kind that PostgreSQL 15 knows, and trees
// that are deep, wide and empty.
func corpus(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../../test/transparency/testdata/sql/*/*.sql")
	if err != nil || len(files) < 300 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	texts := []string{
		"", ";", "SELECT", "SELECT " + strings.Repeat("(", 500) + "1" + strings.Repeat(")", 500),
		"SELECT -1, 2.5, 'x', B'1', NULL, true, ARRAY[1, NULL], ROW(1), $1",
		"INSERT INTO t VALUES " + strings.Repeat("(1, NULL, 'x'), ", 2000) + "(1, NULL, 'x')",
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// Scripts have psql's commands and wrong statements too: what can be read of their parts is enough.
		texts = append(texts, string(text))
		texts = append(texts, strings.Split(string(text), ";")...)
	}
	return texts
}

func packed(text string) (tree []byte, readable bool) {
	tree, err := parser.ParseToProtobuf(text)
	return tree, err == nil
}

// Not parallel: setEnabled is for the process.
func TestTreesHaveTheSameBytes(t *testing.T) {
	defer setEnabled(true)
	compared := 0
	for _, text := range corpus(t) {
		setEnabled(false)
		before := counts()
		want, readable := packed(text)
		if !readable {
			continue
		}
		if counts() != before {
			t.Fatal("nodes were given descriptors although that was switched off")
		}
		setEnabled(true)
		if got, _ := packed(text); !bytes.Equal(got, want) {
			t.Errorf("another tree of %.200q", text)
		}
		if len(want) > 20 && counts() == before {
			t.Errorf("no node of %.200q was given a descriptor", text)
		}
		compared++
	}
	if compared < 1000 {
		t.Errorf("only %d texts could be compared", compared)
	}
	t.Logf("%d texts, %d nodes", compared, counts())
}

func TestThreadsDoNotDisturbEachOther(t *testing.T) {
	texts := []string{"CREATE TABLE t (a int DEFAULT 1 + 2, b text[])", "SELECT a, b FROM t WHERE a IN (1, 2)", "DROP TABLE t"}
	var all sync.WaitGroup
	for _, text := range texts {
		want, _ := packed(text)
		for range 4 {
			all.Go(func() {
				for range 500 {
					if got, _ := packed(text); !bytes.Equal(got, want) {
						t.Errorf("another tree of %q", text)
						return
					}
				}
			})
		}
	}
	all.Wait()
}

func FuzzTreesHaveTheSameBytes(f *testing.F) {
	for _, text := range []string{
		"SELECT DISTINCT ON (a) a, sum(b) OVER w FROM t LEFT JOIN LATERAL f(x) ON true WHERE NOT a = ANY ('{1}') WINDOW w AS (ORDER BY c)",
		"CREATE TABLE t (a int PRIMARY KEY, b text COLLATE \"C\" DEFAULT 'x', CHECK (a > 0)) PARTITION BY RANGE (a)",
		"INSERT INTO t VALUES (1, NULL), (2, DEFAULT) ON CONFLICT (a) DO UPDATE SET b = excluded.b RETURNING *",
		"MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE",
		"COPY t TO STDOUT WITH (FORMAT csv); GRANT SELECT ON t TO a; DO 'x'",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 || strings.IndexByte(text, 0) >= 0 {
			return // pg_query's own depth is not what is looked at
		}
		setEnabled(false)
		want, readable := packed(text)
		setEnabled(true)
		if got, _ := packed(text); readable && !bytes.Equal(got, want) {
			t.Errorf("another tree of %q", text)
		}
	})
}

func BenchmarkPack(b *testing.B) {
	text := "CREATE TABLE t (" + strings.Repeat("c varchar(50) NOT NULL, ", 19) + "d int)"
	for name, on := range map[string]bool{"nodepack": true, "plain": false} {
		b.Run(name, func(b *testing.B) {
			setEnabled(on)
			defer setEnabled(true)
			for b.Loop() {
				if _, readable := packed(text); !readable {
					b.Fatal("not readable")
				}
			}
		})
	}
}
