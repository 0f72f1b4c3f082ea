package iceberg_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	icebergo "github.com/apache/iceberg-go"
	icesql "github.com/apache/iceberg-go/catalog/sql"
	"go.uber.org/goleak"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/provision"
	"github.com/tablewright/tablewright/provision/iceberg"
	"github.com/tablewright/tablewright/provision/provisiontest"
)

func TestMain(m *testing.M) {
	if task := os.Getenv(helperTask); task != "" {
		os.Exit(helper(task))
	}
	goleak.VerifyTestMain(m)
}

// lake is a catalogue in a folder of its own.
type lake struct {
	*provisiontest.System
	dir string // the allowed folder
}

func newLake(t *testing.T) *lake {
	t.Helper()
	l := &lake{dir: filepath.Join(t.TempDir(), "lake")}
	if err := os.Mkdir(l.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	aside := l.dir + ".aside"
	l.System = &provisiontest.System{
		Opener: iceberg.New(iceberg.Options{Allow: []string{l.dir}}), Catalog: l.catalog("lake"),
		MakeTable: l.makeTable, DropTable: l.dropTable, Rows: l.rows, Block: l.block,
		Down: func() error { return os.Rename(l.dir, aside) },
		Up:   func() error { return os.Rename(aside, l.dir) },
	}
	return l
}

func (l *lake) file() string      { return filepath.Join(l.dir, "catalog.db") }
func (l *lake) uri() string       { return "sqlite:///" + l.file() } // four slashes, as SQLAlchemy wants it
func (l *lake) warehouse() string { return "file://" + filepath.Join(l.dir, "warehouse") }

// catalog is a catalog on the lake; options replace those of the same name.
func (l *lake) catalog(name string, options ...catalog.Option) catalog.Catalog {
	c := catalog.Catalog{Name: name, Type: "iceberg", Options: catalog.Options{
		{Name: "uri", Value: l.uri()}, {Name: "warehouse", Value: l.warehouse()},
	}}
	for _, o := range options {
		c.Options = slices.DeleteFunc(c.Options, func(old catalog.Option) bool { return old.Name == o.Name })
		c.Options = append(c.Options, o)
	}
	return c
}

// stranger runs work with iceberg-go's own SQL catalogue.
func (l *lake) stranger(work func(*icesql.Catalog) error) error {
	db, err := sql.Open("sqlite3", "file:"+l.file()+"?_busy_timeout=5000")
	if err != nil {
		return err
	}
	c, err := icesql.NewCatalog("lake", db, icesql.SQLite, icebergo.Properties{"warehouse": l.warehouse()})
	if err == nil {
		err = work(c)
	}
	return errors.Join(err, db.Close())
}

func (l *lake) makeTable(ctx context.Context, path []string) error {
	return l.stranger(func(c *icesql.Catalog) error {
		schema := icebergo.NewSchema(0, icebergo.NestedField{ID: 1, Name: "n", Type: icebergo.PrimitiveTypes.Int32})
		_, err := c.CreateTable(ctx, path, schema)
		return err
	})
}

func (l *lake) dropTable(ctx context.Context, path []string) error {
	return l.stranger(func(c *icesql.Catalog) error { return c.DropTable(ctx, path) })
}

// pyTable is what pyiceberg says of a table.
type pyTable struct {
	UUID          string            `json:"uuid"`
	FormatVersion int               `json:"formatVersion"`
	Location      string            `json:"location"`
	Columns       []pyColumn        `json:"columns"`
	Identifiers   []string          `json:"identifiers"`
	Partitions    []pyPartition     `json:"partitions"`
	SortOrder     []string          `json:"sortOrder"`
	Properties    map[string]string `json:"properties"`
	Names         []string          `json:"names"`
	Rows          [][]*string       `json:"rows"`
	Snapshots     int               `json:"snapshots"`
}

type pyColumn struct {
	ID       int    `json:"id"`
	Name     string `json:"name"`
	Type     string `json:"type"`
	Required bool   `json:"required"`
	Doc      string `json:"doc"`
}

type pyPartition struct {
	Source    string `json:"source"`
	Transform string `json:"transform"`
	Name      string `json:"name"`
}

// python runs a script with pyiceberg, with the catalog's own uri and warehouse.
func (l *lake) python(ctx context.Context, script string, path []string, args ...string) ([]byte, error) {
	python, err := filepath.Abs("../../.tools/venv/bin/python")
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(python); err != nil {
		return nil, fmt.Errorf("pyiceberg is not installed: run scripts/setup: %w", err)
	}
	args = append([]string{script, l.uri(), l.warehouse(), "lake", path[0], path[1]}, args...)
	cmd := exec.CommandContext(ctx, python, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("pyiceberg: %w: %s", err, stderr.String())
	}
	return out, nil
}

func (l *lake) read(ctx context.Context, path []string) (*pyTable, error) {
	out, err := l.python(ctx, "testdata/read.py", path)
	if err != nil {
		return nil, err
	}
	var table pyTable
	return &table, json.Unmarshal(out, &table)
}

func (l *lake) rows(ctx context.Context, path, columns []string) ([][]*string, error) {
	table, err := l.read(ctx, path)
	if err != nil {
		return nil, err
	}
	rows := make([][]*string, len(table.Rows))
	for _, c := range columns {
		i := slices.Index(table.Names, c)
		if i < 0 {
			return nil, fmt.Errorf("pyiceberg sees no column %q", c)
		}
		for r := range table.Rows {
			rows[r] = append(rows[r], table.Rows[r][i])
		}
	}
	return rows, nil
}

// block takes SQLite's write lock, as another process does that is stopped in the middle of a commit.
func (l *lake) block(ctx context.Context, _ []string) (func() error, error) {
	db, err := sql.Open("sqlite3", "file:"+l.file()+"?_txlock=immediate&_busy_timeout=5000")
	if err != nil {
		return nil, err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return func() error { return errors.Join(tx.Rollback(), db.Close()) }, nil
}

func (l *lake) open(t *testing.T, c catalog.Catalog) provision.Provisioner {
	t.Helper()
	p, err := l.Opener.Open(t.Context(), c, nil)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func TestConformance(t *testing.T) {
	provisiontest.Run(t, provisiontest.Config{
		New: func(t *testing.T) *provisiontest.System {
			l := newLake(t)
			garbage := filepath.Join(l.dir, "garbage.db")
			if err := os.WriteFile(garbage, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
				t.Fatal(err)
			}
			l.Broken = []catalog.Catalog{
				l.catalog("garbage", catalog.Option{Name: "uri", Value: "sqlite:///" + garbage}),
				l.catalog("folder", catalog.Option{Name: "uri", Value: "sqlite:///" + l.dir}),
				l.catalog("nofolder", catalog.Option{Name: "uri", Value: "sqlite:///" + l.dir + "/none/catalog.db"}),
				l.catalog("nowarehouse", catalog.Option{Name: "warehouse", Value: "file://" + garbage + "/w"}),
			}
			return l.System
		},
		Types: types(), Refused: refused(), JobMark: true, NameBytesMax: 255,
	})
}
