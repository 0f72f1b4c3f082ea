// Package ownerfile writes files and folders that only their owner may read,
// without touching the umask of the process.
package ownerfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

const (
	// FileMode is the mode of a file: read and written by its owner only.
	FileMode os.FileMode = 0o600
	// DirMode is the mode of a folder: entered by its owner only.
	DirMode os.FileMode = 0o700
)

// MkdirAll makes a folder with its parents where they are absent, and takes
// other users' rights from the folder itself where it was there.
func MkdirAll(dir string) error {
	if err := os.MkdirAll(dir, DirMode); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("look at folder: %w", err)
	}
	if info.Mode().Perm()&^DirMode == 0 {
		return nil
	}
	if err := os.Chmod(dir, DirMode); err != nil {
		return fmt.Errorf("restrict folder to its owner: %w", err)
	}
	return nil
}

// Write replaces a file at once: readers, and a process that starts after a
// crash, see the old content or the new one, never a part.
func Write(path string, data []byte) (err error) {
	// CreateTemp makes the file with FileMode, so it is never open to others.
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("make temporary file: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("put %s in place: %w", path, err)
	}
	return SyncDir(filepath.Dir(path))
}

// SyncDir makes renames and removals within a folder outlast a power cut.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("open folder: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("sync folder %s: %w", dir, err)
	}
	return nil
}
