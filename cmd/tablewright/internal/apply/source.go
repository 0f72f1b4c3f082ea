// Package apply runs folders of SQL files against a gateway, over nothing but a PostgreSQL connection: it tells
// what became of each statement, shows beforehand what would, and removes what a set no longer declares.
package apply

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// source is one file as it was read.
type source struct {
	name string // as it is shown
	text string
}

// readSources reads the files in the order in which they run: arguments as they are given, the files of a
// folder in byte order of their paths. With one argument names are relative to its folder.
func readSources(args []string, stdin io.Reader) ([]source, error) {
	var sources []source
	for _, arg := range args {
		found, err := readArgument(arg, len(args) == 1, stdin)
		if err != nil {
			return nil, err
		}
		sources = append(sources, found...)
	}
	return sources, nil
}

func readArgument(arg string, only bool, stdin io.Reader) ([]source, error) {
	if arg == "-" {
		text, err := io.ReadAll(stdin)
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		return []source{newSource("-", text)}, nil
	}
	info, err := os.Stat(arg)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		text, err := os.ReadFile(arg)
		if err != nil {
			return nil, err
		}
		return []source{newSource(arg, text)}, nil
	}
	paths, err := sqlFiles(arg)
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("folder %s has no .sql files", arg)
	}
	sources := make([]source, 0, len(paths))
	for _, path := range paths {
		text, err := os.ReadFile(filepath.Join(arg, filepath.FromSlash(path)))
		if err != nil {
			return nil, err
		}
		name := path
		if !only {
			name = filepath.Join(arg, path)
		}
		sources = append(sources, newSource(name, text))
	}
	return sources, nil
}

// newSource leaves out the byte order mark that some editors write.
func newSource(name string, text []byte) source {
	return source{name: name, text: strings.TrimPrefix(string(text), "\ufeff")}
}

// sqlFiles are the paths of a folder's .sql files below it, with slashes, in byte order. What begins with a
// dot is left out; a link to a file is followed, one to a folder is not.
func sqlFiles(folder string) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == folder:
			return nil
		case strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir() || filepath.Ext(path) != ".sql":
			return nil
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return nil
		}
		relative, err := filepath.Rel(folder, path)
		paths = append(paths, filepath.ToSlash(relative))
		return err
	})
	if err != nil {
		return nil, errors.Join(errors.New("cannot read the folder"), err)
	}
	slices.Sort(paths)
	return paths, nil
}
