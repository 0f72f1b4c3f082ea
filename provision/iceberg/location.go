package iceberg

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tablewright/tablewright/provision"
)

// slugBytesMax bounds the part of a folder's name that is taken from a table's name.
const slugBytesMax = 64

// folders are the allowed ones, with symbolic links resolved.
type folders []string

func newFolders(allow []string) (folders, error) {
	var list folders
	for _, dir := range allow {
		real, err := filepath.EvalSymlinks(dir)
		if errors.Is(err, fs.ErrNotExist) {
			real, err = dir, nil // what is looked for in it will be found absent
		}
		if err != nil {
			return nil, err
		}
		if real, err = filepath.Abs(real); err != nil {
			return nil, err
		}
		list = append(list, real)
	}
	return list, nil
}

// split finds the allowed folder that a clean absolute path lies in, and the path inside it.
func (f folders) split(path string) (root, inside string, ok bool) {
	for _, dir := range f {
		if path == dir {
			return dir, ".", true
		}
		if rest, found := strings.CutPrefix(path, strings.TrimSuffix(dir, "/")+"/"); found {
			return dir, rest, true
		}
	}
	return "", "", false
}

// resolve returns the path with the symbolic links of its existing part resolved; it must lie in an
// allowed folder then.
func (f folders) resolve(path string) (string, error) {
	existing, rest := path, ""
	for {
		real, err := filepath.EvalSymlinks(existing)
		if err == nil {
			path = filepath.Join(real, rest)
			break
		}
		parent := filepath.Dir(existing)
		if !errors.Is(err, fs.ErrNotExist) || parent == existing {
			return "", err
		}
		if _, err := os.Lstat(existing); err == nil {
			return "", denied(path) // a link that leads nowhere: where it will lead is not ours to say
		}
		existing, rest = parent, filepath.Join(filepath.Base(existing), rest)
	}
	if _, _, ok := f.split(path); !ok {
		return "", denied(path)
	}
	return path, nil
}

func denied(path string) error {
	return provision.Error(provision.Denied, "path %q is not allowed", path).
		WithHint("Local files may lie in the folders of catalogs.allow in the configuration.")
}

// catalogFile is the path of the SQLite file that a uri names.
func (f folders) catalogFile(uri string) (string, error) {
	path := uri
	if rest, ok := strings.CutPrefix(uri, "sqlite:"); ok {
		path = "/" + strings.TrimLeft(rest, "/")
	}
	if !filepath.IsAbs(path) || strings.ContainsAny(path, "?#%\x00") || path == "/" {
		return "", provision.Error(provision.Invalid, "invalid value for option %q: %q", optURI, uri).
			WithHint("Write it like 'sqlite:////folder/catalog.db'; only SQLite catalogues are supported.")
	}
	return f.resolve(filepath.Clean(path))
}

// warehouse is the folder of new tables; it is made when it is absent.
func (f folders) warehouse(location string) (string, error) {
	path, err := localPath(location)
	if err != nil || strings.ContainsAny(path, "?#%\x00") {
		return "", provision.Error(provision.Invalid, "invalid value for option %q: %q", optWarehouse, location).
			WithHint("Write it like 'file:///folder'; only local folders are supported.")
	}
	if path, err = f.resolve(path); err != nil {
		return "", err
	}
	root, inside, _ := f.split(path)
	r, err := os.OpenRoot(root)
	if err != nil {
		return "", err
	}
	return path, errors.Join(r.MkdirAll(inside, 0o755), r.Close())
}

// localPath is the path of a location in metadata: file:///a/b, file:/a/b or /a/b.
func localPath(location string) (string, error) {
	path := location
	if rest, ok := strings.CutPrefix(location, "file:"); ok {
		path = strings.TrimPrefix(rest, "//localhost")
		if trimmed, ok := strings.CutPrefix(path, "//"); ok {
			path = trimmed
		}
	}
	if !filepath.IsAbs(path) {
		return "", provision.Error(provision.Unsupported, "location %q is not supported", location).
			WithHint("Only local folders are supported.")
	}
	return filepath.Clean(path), nil
}

// tableFolder is the folder of a new table. It bears the table's identity, so no two tables ever share
// one, and what a dead maker left can be found.
func tableFolder(warehouse string, n name, identity string) string {
	return filepath.Join(warehouse, slug(n.schema), slug(n.table)+"-"+identity)
}

// slug makes a name harmless as a folder's.
func slug(name string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		default:
			return '_'
		}
	}, name)
	return clean[:min(len(clean), slugBytesMax)]
}

func fileURI(path string) string { return "file://" + path }
