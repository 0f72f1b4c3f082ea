package postmaster

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

const (
	pidFile    = "postmaster.pid"
	socketName = ".s.PGSQL.5432"
	// socketDirMax is the longest folder of a socket, in bytes: a socket's path has at most 107, and
	// "/.s.PGSQL.5432" takes 14 of them.
	socketDirMax = 93
)

// layout is where the server's files are. All paths are absolute and free of symbolic links, since they
// are compared with what /proc says.
type layout struct {
	home   string // folder of the server's files, owned by its user
	data   string // the database cluster
	socket string // folder of the unix socket
}

// makeLayout makes the folders that are missing and checks that the server's user can get to them.
func makeLayout(dataDir string, own owner) (layout, error) {
	abs, err := filepath.Abs(dataDir)
	if err != nil {
		return layout{}, fmt.Errorf("data folder: %w", err)
	}
	if err := makeDataDir(abs, own); err != nil {
		return layout{}, err
	}
	root, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return layout{}, fmt.Errorf("data folder: %w", err)
	}
	if err := checkTraversable(root, own); err != nil {
		return layout{}, err
	}
	l := layout{home: filepath.Join(root, "home")}
	l.data = filepath.Join(l.home, "data")
	if err := makePrivate(l.home, own); err != nil {
		return layout{}, err
	}
	if l.socket, err = socketDir(root, own); err != nil {
		return layout{}, err
	}
	if err := checkTraversable(filepath.Dir(l.socket), own); err != nil {
		return layout{}, err
	}
	return l, makePrivate(l.socket, own)
}

// makeDataDir makes the gateway's data folder. Another user's child must be able to pass through it to
// its own folder; it still cannot list it.
func makeDataDir(dir string, own owner) error {
	mode := os.FileMode(0o700)
	if own.drop {
		mode = 0o711
	}
	if err := os.MkdirAll(dir, mode); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	return nil
}

// socketDir chooses the folder of the socket: `run` in the data folder, or a short one named after it.
func socketDir(root string, own owner) (string, error) {
	if dir := filepath.Join(root, "run"); len(dir) <= socketDirMax {
		return dir, nil
	}
	sum := sha256.Sum256([]byte(root))
	base := os.TempDir()
	if own.drop { // root may write to /run, where no other user can put a folder of that name
		base = "/run"
	}
	base, err := filepath.EvalSymlinks(base)
	if err != nil {
		return "", fmt.Errorf("folder of the home database's socket: %w", err)
	}
	dir := filepath.Join(base, "tw-"+hex.EncodeToString(sum[:6]))
	if len(dir) > socketDirMax {
		return "", fmt.Errorf("folder of the home database's socket %q is too long (maximum %d bytes); "+
			"choose a shorter data folder", dir, socketDirMax)
	}
	return dir, nil
}

// makePrivate makes a folder that only the server's user can enter. One that is there already is
// accepted only when it is exactly that: whoever reaches the socket is superuser.
func makePrivate(dir string, own owner) error {
	err := os.Mkdir(dir, 0o700)
	switch {
	case err == nil && own.drop:
		if err := os.Lchown(dir, own.uid, own.gid); err != nil {
			return fmt.Errorf("folder of the home database: %w", err)
		}
		return nil
	case err == nil:
		return nil
	case !errors.Is(err, os.ErrExist):
		return fmt.Errorf("folder of the home database: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("folder of the home database: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(stat.Uid) != own.uid || info.Mode().Perm() != 0o700 {
		return fmt.Errorf("%s must be a folder owned by uid %d with mode 0700", dir, own.uid)
	}
	return nil
}

// checkTraversable checks that the server's user may pass through every folder of a path. PostgreSQL's
// own message ("could not access directory") does not say which one is in the way.
func checkTraversable(path string, own owner) error {
	if own.uid == os.Geteuid() {
		return nil // this process got through itself
	}
	for dir := path; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return fmt.Errorf("folder of the home database: %w", err)
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return fmt.Errorf("folder of the home database: no owner known of %s", dir)
		}
		if !mayPass(info.Mode().Perm(), stat, own) {
			return fmt.Errorf("the home database's user (uid %d) cannot pass through the folder %s (mode %04o); "+
				"run chmod o+x on it or choose another data folder", own.uid, dir, info.Mode().Perm())
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

func mayPass(mode os.FileMode, stat *syscall.Stat_t, own owner) bool {
	switch {
	case int(stat.Uid) == own.uid:
		return mode&0o100 != 0
	case int(stat.Gid) == own.gid:
		return mode&0o010 != 0
	default:
		return mode&0o001 != 0
	}
}
