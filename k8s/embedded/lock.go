package embedded

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tablewright/tablewright/k8s/internal/ownerfile"
)

// LockedError says that another control plane runs on the folder.
type LockedError struct {
	// Dir is the folder.
	Dir string
	// PID is the process that holds it; 0 when it could not be read.
	PID int
}

// Error names the folder and the process that holds it.
func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("control plane folder %s is in use by another process", e.Dir)
	}
	return fmt.Sprintf("control plane folder %s is in use by process %d", e.Dir, e.PID)
}

// lockDir takes the folder's lock without waiting. It must come before anything
// else touches the folder: etcd removes another one's socket before it finds the
// data locked, and then waits for ever without a word.
func lockDir(dir string) (*os.File, error) {
	path := filepath.Join(dir, "lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, ownerfile.FileMode)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		defer func() { _ = f.Close() }()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, &LockedError{Dir: dir, PID: readPID(f)}
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if err := writePID(f); err != nil {
		return nil, errors.Join(fmt.Errorf("write pid into %s: %w", path, err), f.Close())
	}
	return f, nil
}

func readPID(f *os.File) int {
	const pidLenMax = 20
	text, err := io.ReadAll(io.NewSectionReader(f, 0, pidLenMax))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}

func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}
