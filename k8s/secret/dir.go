package secret

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/tablewright/tablewright/k8s/internal/ownerfile"
)

// dataLink is the link to the folder with the current values, as in a mounted
// Secret volume: it is what makes all keys change at once.
const dataLink = "..data"

// Dir keeps secrets as owner-only files below one folder.
type Dir struct {
	mu   sync.Mutex // one writer at a time; readers need none
	path string
}

// NewDir returns a store in a folder, which is made owner-only where it is absent.
func NewDir(path string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("folder of secrets: %w", err)
	}
	if err := ownerfile.MkdirAll(path); err != nil {
		return nil, fmt.Errorf("folder of secrets: %w", err)
	}
	return &Dir{path: path}, nil
}

// OpenDir returns a store for reading in a folder that somebody else fills, such
// as a mounted Secret volume. The folder is left as it is.
func OpenDir(path string) *Dir { return &Dir{path: path} }

// Put writes the values into a new folder, and then lets the link point to it. A
// crash in between leaves the old values, and the next Put clears up.
func (d *Dir) Put(ctx context.Context, namespace, name string, data map[string][]byte) error {
	if err := errors.Join(checkRef(namespace, name), checkData(data)); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	root, err := d.makeSecretRoot(namespace, name)
	if err != nil {
		return fmt.Errorf("put secret %s/%s: %w", namespace, name, err)
	}
	defer func() { _ = root.Close() }()
	if err := put(root, data); err != nil {
		return fmt.Errorf("put secret %s/%s: %w", namespace, name, err)
	}
	return nil
}

// Get reads one value.
func (d *Dir) Get(ctx context.Context, namespace, name, key string) ([]byte, error) {
	if err := errors.Join(checkRef(namespace, name), checkKey(key)); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// A root lets no link lead out of the folder, wherever the files come from.
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return nil, fmt.Errorf("folder of secrets: %w", err)
	}
	defer func() { _ = root.Close() }()
	current, plain := filepath.Join(namespace, name, dataLink, key), filepath.Join(namespace, name, key)
	// Once more at the end: a Put may have removed the folder we were led to.
	for _, path := range []string{current, plain, current} {
		value, err := root.ReadFile(path)
		if err == nil {
			return value, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read secret %s/%s: %w", namespace, name, err)
		}
	}
	return nil, fmt.Errorf("%w: %s/%s, key %s", ErrNotFound, namespace, name, key)
}

// Delete removes the secret's folder.
func (d *Dir) Delete(ctx context.Context, namespace, name string) error {
	if err := checkRef(namespace, name); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return fmt.Errorf("folder of secrets: %w", err)
	}
	defer func() { _ = root.Close() }()
	if _, err := root.Stat(namespace); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := root.RemoveAll(filepath.Join(namespace, name)); err != nil {
		return fmt.Errorf("delete secret %s/%s: %w", namespace, name, err)
	}
	if err := syncIn(root, namespace); err != nil {
		return fmt.Errorf("delete secret %s/%s: %w", namespace, name, err)
	}
	return nil
}

// makeSecretRoot makes the folder of one secret and opens it.
func (d *Dir) makeSecretRoot(namespace, name string) (*os.Root, error) {
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	path := filepath.Join(namespace, name)
	if err := root.MkdirAll(path, ownerfile.DirMode); err != nil {
		return nil, err
	}
	if err := errors.Join(syncIn(root, "."), syncIn(root, namespace)); err != nil {
		return nil, err
	}
	return root.OpenRoot(path)
}

func put(root *os.Root, data map[string][]byte) error {
	fresh := ".." + rand.Text()
	if err := root.Mkdir(fresh, ownerfile.DirMode); err != nil {
		return err
	}
	for key, value := range data {
		if err := writeIn(root, filepath.Join(fresh, key), value); err != nil {
			return errors.Join(err, root.RemoveAll(fresh))
		}
	}
	if err := syncIn(root, fresh); err != nil {
		return err
	}
	if err := link(root, fresh, dataLink); err != nil {
		return err
	}
	for key := range data {
		if err := link(root, filepath.Join(dataLink, key), key); err != nil {
			return err
		}
	}
	if err := removeStale(root, fresh, data); err != nil {
		return err
	}
	return syncIn(root, ".")
}

// link makes a symbolic link, at once in place of what was there.
func link(root *os.Root, target, name string) error {
	if old, err := root.Readlink(name); err == nil && old == target {
		return nil
	}
	temp := "..link" + rand.Text()
	if err := root.Symlink(target, temp); err != nil {
		return err
	}
	return root.Rename(temp, name)
}

// removeStale removes what is neither the current folder nor a key of it.
func removeStale(root *os.Root, current string, data map[string][]byte) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		n := e.Name()
		if _, isKey := data[n]; isKey || n == current || n == dataLink {
			continue
		}
		if err := root.RemoveAll(n); err != nil {
			return err
		}
	}
	return nil
}

func writeIn(root *os.Root, path string, value []byte) error {
	f, err := root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, ownerfile.FileMode)
	if err != nil {
		return err
	}
	_, err = f.Write(value)
	return errors.Join(err, f.Sync(), f.Close())
}

func syncIn(root *os.Root, path string) error {
	f, err := root.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
