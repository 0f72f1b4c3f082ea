// Package hometest starts home databases for tests: an embedded one in a folder of its own, or the same
// server used like an external one whose owner is no superuser. Nothing is skipped when PostgreSQL is
// missing: the test fails.
package hometest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tablewright/tablewright/home"
)

// startMax bounds the start of a server, initdb included, on a busy machine.
const startMax = 60 * time.Second

// Dir makes an empty data folder that the server's user can get to, and removes it after the test.
func Dir(tb testing.TB) string {
	tb.Helper()
	dir, remove, err := NewDir()
	if err != nil {
		tb.Fatalf("data folder: %v", err)
	}
	tb.Cleanup(func() {
		if err := remove(); err != nil {
			tb.Errorf("data folder: %v", err)
		}
	})
	return dir
}

// NewDir is Dir without a test: for TestMain.
func NewDir() (dir string, remove func() error, err error) {
	root, err := os.MkdirTemp("", "tw")
	if err != nil {
		return "", nil, err
	}
	// testing's own folders are closed to the user that the server runs as.
	if err := os.Chmod(root, 0o711); err != nil {
		return "", nil, err
	}
	return filepath.Join(root, "data"), func() error { return os.RemoveAll(root) }, nil
}

// Start opens an embedded home database with fsync off in a folder of its own and closes it after the
// test. change may alter the options.
func Start(tb testing.TB, change ...func(*home.Options)) *home.Home {
	tb.Helper()
	opts := home.Options{DataDir: Dir(tb), Unsafe: true}
	for _, f := range change {
		f(&opts)
	}
	return Open(tb, opts)
}

// Open opens a home database and closes it after the test.
func Open(tb testing.TB, opts home.Options) *home.Home {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), startMax)
	defer cancel()
	h, err := home.Open(ctx, opts)
	if err != nil {
		tb.Fatalf("open the home database: %v", err)
	}
	tb.Cleanup(func() {
		if err := Close(h); err != nil {
			tb.Errorf("close the home database: %v", err)
		}
	})
	return h
}

// Close closes a home database in the time that a test has for it.
func Close(h *home.Home) error {
	ctx, cancel := context.WithTimeout(context.Background(), startMax)
	defer cancel()
	return h.Close(ctx)
}

// Run starts one embedded home database for all tests of a package, keeps it for use and returns the exit
// code for TestMain.
func Run(m *testing.M, use func(*home.Home)) (code int) {
	dir, remove, err := NewDir()
	if err != nil {
		fmt.Fprintln(os.Stderr, "data folder:", err)
		return 1
	}
	defer func() {
		if err := remove(); err != nil {
			fmt.Fprintln(os.Stderr, "data folder:", err)
			code = 1
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), startMax)
	defer cancel()
	h, err := home.Open(ctx, home.Options{DataDir: dir, Unsafe: true})
	if err != nil {
		fmt.Fprintln(os.Stderr, "open the home database:", err)
		return 1
	}
	defer func() {
		if err := Close(h); err != nil {
			fmt.Fprintln(os.Stderr, "close the home database:", err)
			code = 1
		}
	}()
	use(h)
	return m.Run()
}
