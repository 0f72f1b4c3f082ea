package postmaster

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

// other is a user that this process is not.
func other() owner { return owner{uid: os.Geteuid() + 12345, gid: os.Getegid() + 12345} }

func TestEveryFolderOnTheWayIsChecked(t *testing.T) {
	root := tempDir(t)
	closed := filepath.Join(root, "closed")
	dir := filepath.Join(closed, "data")
	if err := os.MkdirAll(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	if err := checkTraversable(dir, other()); err != nil {
		t.Errorf("an open path: %v", err)
	}
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	err := checkTraversable(dir, other())
	if err == nil || !strings.Contains(err.Error(), closed+" ") {
		t.Errorf("a closed path: %v", err)
	}
	if err := checkTraversable(dir, owner{uid: os.Geteuid()}); err != nil {
		t.Errorf("this process's own user: %v", err)
	}
}

func TestSocketFolderFitsTheLimit(t *testing.T) {
	root := tempDir(t)
	// 107 bytes of a socket's path, less "/.s.PGSQL.5432".
	const dirMax = 93
	fits := filepath.Join(root, strings.Repeat("x", dirMax-len("/run")-len(root)-1))
	for _, c := range []struct {
		root  string
		short bool
	}{{fits, false}, {fits + "x", true}} {
		dir, err := socketDir(c.root, owner{})
		if err != nil {
			t.Fatal(err)
		}
		if len(dir) > dirMax {
			t.Errorf("%s has %d bytes", dir, len(dir))
		}
		if short := !strings.HasPrefix(dir, c.root); short != c.short {
			t.Errorf("folder %s for %s", dir, c.root)
		}
	}
	a, _ := socketDir(fits+"x", owner{})
	b, _ := socketDir(fits+"y", owner{})
	if a == b {
		t.Error("two data folders share a socket folder")
	}
	// And with real servers.
	exact := start(t, fits)
	if got := ask(t, exact.SocketDir(), "select 1"); got != "1" || len(exact.SocketDir()) != dirMax {
		t.Errorf("socket in %s", exact.SocketDir())
	}
	long := filepath.Join(root, strings.Repeat("long", 25))
	p := start(t, long)
	t.Cleanup(func() {
		if err := os.RemoveAll(p.SocketDir()); err != nil {
			t.Error(err)
		}
	})
	if got := ask(t, p.SocketDir(), "select 1"); got != "1" || strings.HasPrefix(p.SocketDir(), long) {
		t.Errorf("socket in %s", p.SocketDir())
	}
}

// Whoever can write to the socket's folder is superuser.
func TestForeignSocketFolderIsRefused(t *testing.T) {
	root := tempDir(t)
	own := owner{uid: os.Geteuid(), gid: os.Getegid()}
	open := filepath.Join(root, "open")
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(root, "link")
	private := filepath.Join(root, "private")
	if err := errors.Join(os.Mkdir(private, 0o700), os.Symlink(private, link)); err != nil {
		t.Fatal(err)
	}
	for dir, ok := range map[string]bool{open: false, link: false, private: true, filepath.Join(root, "new"): true} {
		if err := makePrivate(dir, own); (err == nil) != ok {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if err := makePrivate(private, other()); err == nil {
		t.Error("a folder of another user is accepted")
	}
}

func TestDataFolderIsLocked(t *testing.T) {
	dir := filepath.Join(tempDir(t), "data")
	lock, err := LockDataDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = LockDataDir(dir)
	var locked *LockedError
	if !errors.As(err, &locked) || locked.PID != strconv.Itoa(os.Getpid()) || !strings.Contains(err.Error(), locked.PID) {
		t.Errorf("second lock: %v", err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	lock, err = LockDataDir(dir)
	if err != nil {
		t.Fatalf("after the release: %v", err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
}

func TestWhoRunsTheServer(t *testing.T) {
	if os.Geteuid() != 0 {
		own, err := findOwner("somebody")
		if err != nil || own.uid != os.Geteuid() || own.credential() != nil {
			t.Errorf("without root: %+v, %v", own, err)
		}
		return
	}
	for _, name := range []string{"nobody", "root", "no-such-user"} {
		if own, err := findOwner(name); err == nil {
			t.Errorf("%s is accepted as %+v", name, own)
		}
	}
	own, err := findOwner("")
	if err != nil || own.uid == 0 || own.credential() == nil || own.credential().Groups == nil {
		t.Errorf("by default %+v, %v", own, err)
	}
}

func TestBinariesAreLookedFor(t *testing.T) {
	empty := tempDir(t)
	if _, err := findBinaries(t.Context(), empty, 0, ""); err == nil || !strings.Contains(err.Error(), empty) {
		t.Errorf("an empty folder: %v", err)
	}
	old := tempDir(t)
	for _, name := range []string{"postgres", "initdb"} {
		script := "#!/bin/sh\necho 'postgres (PostgreSQL) 14.3'\n"
		if err := os.WriteFile(filepath.Join(old, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := findBinaries(t.Context(), old, 0, ""); err == nil || !strings.Contains(err.Error(), "14.3") || !strings.Contains(err.Error(), "15") {
		t.Errorf("an old version: %v", err)
	}
	if bin, err := findBinaries(t.Context(), "", 0, ""); err != nil || bin.major < majorMin {
		t.Errorf("found %+v, %v", bin, err)
	}
}

func TestOutputKeepsComplaints(t *testing.T) {
	o := newOutput(zerolog.Nop())
	for _, part := range []string{"LOG:  starting\nFATAL:  no ", "space\nHINT:  buy\n", strings.Repeat("x", 3*outputLineMax) + "\n", "half"} {
		if n, err := o.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatalf("wrote %d, %v", n, err)
		}
	}
	if got, want := o.tail(), "FATAL:  no space; HINT:  buy"; got != want {
		t.Errorf("tail %q, want %q", got, want)
	}
	if len(o.partial) > outputLineMax {
		t.Errorf("%d bytes kept", len(o.partial))
	}
}
