package postmaster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// LockedError says that another process uses the data folder.
type LockedError struct {
	Dir string
	PID string // of the holder, as it wrote it
}

// Error names the folder and the holder.
func (e *LockedError) Error() string {
	return fmt.Sprintf("data folder %s is in use by process %s", e.Dir, e.PID)
}

// Lock is the claim on a data folder. It ends with Release or with the process.
type Lock struct{ file *os.File }

// LockDataDir claims a data folder, making it when it is missing, by locking its file `lock`. It does
// not wait: a *LockedError names the process that holds it.
func LockDataDir(dir string) (*Lock, error) {
	mode := os.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o711 // see makeDataDir
	}
	if err := os.MkdirAll(dir, mode); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock of the data folder: %w", err)
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		err = writePID(file)
	}
	switch {
	case err == nil:
		return &Lock{file: file}, nil
	case errors.Is(err, unix.EWOULDBLOCK):
		err = &LockedError{Dir: dir, PID: holder(file)}
	default:
		err = fmt.Errorf("lock of the data folder: %w", err)
	}
	return nil, errors.Join(err, file.Close())
}

// Release gives the data folder back. The file stays: deleting it would let two processes lock two
// files of the same name.
func (l *Lock) Release() error {
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("lock of the data folder: %w", err)
	}
	return nil
}

func writePID(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := fmt.Fprintf(file, "%d\n", os.Getpid())
	return err
}

func holder(file *os.File) string {
	buf := make([]byte, 32)
	n, err := file.ReadAt(buf, 0)
	if pid := strings.TrimSpace(string(buf[:n])); pid != "" {
		return pid
	}
	return fmt.Sprintf("(unknown: %v)", err)
}
