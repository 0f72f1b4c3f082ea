package iceberg

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"

	icebergio "github.com/apache/iceberg-go/io"
)

// fileStore is the file system that tables live in. Each path is looked up inside the allowed folder
// that it names, by os.Root: neither ".." nor a symbolic link leads out of it. It cannot list folders,
// so iceberg-go removes files only by name.
type fileStore struct {
	folders folders

	mu      sync.Mutex
	made    []string // files that were created, when recording
	records bool
}

var (
	_ icebergio.WriteFileIO = (*fileStore)(nil)
	_ icebergio.ReadFileIO  = (*fileStore)(nil)
)

// recorder returns a store that notes which files are created through it.
func (s *fileStore) recorder() *fileStore { return &fileStore{folders: s.folders, records: true} }

// discard removes the files that were created: nothing refers to them.
func (s *fileStore) discard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, location := range s.made {
		// A file that stays takes room and does no harm.
		_ = s.Remove(location)
	}
	s.made = nil
}

// inside runs work in the allowed folder of a location.
func (s *fileStore) inside(location string, work func(root *os.Root, path string) error) error {
	path, err := localPath(location)
	if err != nil {
		return err
	}
	dir, rest, ok := s.folders.split(path)
	if !ok {
		return denied(path)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	return errors.Join(work(root, rest), root.Close())
}

// Open opens a file for reading.
func (s *fileStore) Open(location string) (icebergio.File, error) {
	var file *os.File
	err := s.inside(location, func(root *os.Root, path string) (err error) {
		file, err = root.Open(path)
		return err
	})
	if err != nil {
		return nil, err
	}
	return file, nil
}

// ReadFile reads a whole file.
func (s *fileStore) ReadFile(location string) ([]byte, error) {
	var content []byte
	err := s.inside(location, func(root *os.Root, path string) (err error) {
		content, err = root.ReadFile(path)
		return err
	})
	return content, err
}

// Create makes a file, and the folders that it lies in. It is on disk when Close returns.
func (s *fileStore) Create(location string) (icebergio.FileWriter, error) {
	var file *os.File
	err := s.inside(location, func(root *os.Root, name string) (err error) {
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		file, err = root.Create(name)
		return err
	})
	if err != nil {
		return nil, err
	}
	if s.records {
		s.mu.Lock()
		s.made = append(s.made, location)
		s.mu.Unlock()
	}
	return &syncedFile{File: file}, nil
}

// WriteFile makes a file with content.
func (s *fileStore) WriteFile(location string, content []byte) error {
	file, err := s.Create(location)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, bytes.NewReader(content))
	return errors.Join(err, file.Close())
}

// Remove removes a file; one that is absent is removed already.
func (s *fileStore) Remove(location string) error {
	err := s.inside(location, func(root *os.Root, path string) error { return root.Remove(path) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// removeFolder removes a folder with all that is in it, and the folder above it when it is empty then.
func (s *fileStore) removeFolder(path string) error {
	return s.inside(path, func(root *os.Root, inside string) error {
		err := root.RemoveAll(inside)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		// It is kept while other tables lie in it.
		_ = root.Remove(filepath.Dir(inside))
		return err
	})
}

// syncedFile is on disk, with its name, when it is closed: what the catalogue is about to refer to must
// not be lost with the machine.
type syncedFile struct{ *os.File }

// Close writes the file's content and its folder's entry through to the disk.
func (f *syncedFile) Close() error {
	err := f.Sync()
	if closed := f.File.Close(); closed != nil {
		return errors.Join(err, closed)
	}
	return errors.Join(err, syncFolder(filepath.Dir(f.Name())))
}

func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
