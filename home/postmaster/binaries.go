package postmaster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// majorMin is the oldest PostgreSQL that can be the home database.
const majorMin = 15

// binaries is one installation of the server.
type binaries struct {
	dir     string
	version string // "15.18"
	major   int
}

func (b binaries) initdb() string   { return filepath.Join(b.dir, "initdb") }
func (b binaries) postgres() string { return filepath.Join(b.dir, "postgres") }

// findBinaries chooses an installation: the configured folder only, or else the one that made the
// existing cluster, or else the newest of /usr/lib/postgresql and PATH. clusterMajor is 0 when there is
// no cluster yet; data names the cluster in errors.
func findBinaries(ctx context.Context, configured string, clusterMajor int, data string) (binaries, error) {
	dirs := []string{configured}
	if configured == "" {
		dirs = candidateDirs()
	}
	var found []binaries
	var problems []error
	for _, dir := range dirs {
		bin, err := inspect(ctx, dir)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		found = append(found, bin)
	}
	if len(found) == 0 {
		return binaries{}, fmt.Errorf("no PostgreSQL %d or newer found (looked in %s): %w",
			majorMin, strings.Join(dirs, ", "), errors.Join(problems...))
	}
	// Stable: of two with the same version the earlier place wins.
	slices.SortStableFunc(found, func(a, b binaries) int { return b.major - a.major })
	if clusterMajor == 0 {
		return found[0], nil
	}
	if i := slices.IndexFunc(found, func(b binaries) bool { return b.major == clusterMajor }); i >= 0 {
		return found[i], nil
	}
	return binaries{}, fmt.Errorf("the data folder %s was made by PostgreSQL %d, but the binaries in %s are "+
		"PostgreSQL %s; install PostgreSQL %d or move the data with pg_upgrade",
		data, clusterMajor, found[0].dir, found[0].version, clusterMajor)
}

func candidateDirs() []string {
	dirs, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		dirs = nil // only a malformed pattern can fail
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	if len(dirs) == 0 {
		dirs = []string{"/usr/lib/postgresql/*/bin", "PATH"} // named in the error
	}
	return dirs
}

var versionText = regexp.MustCompile(`\(PostgreSQL\) ((\d+)\S*)`)

// inspect asks the server's binary for its version.
func inspect(ctx context.Context, dir string) (binaries, error) {
	for _, tool := range []string{"postgres", "initdb"} {
		if _, err := os.Stat(filepath.Join(dir, tool)); err != nil {
			return binaries{}, fmt.Errorf("PostgreSQL's binaries: %w", err)
		}
	}
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version")
	cmd.Env = childEnv()
	out, err := cmd.Output()
	if err != nil {
		return binaries{}, fmt.Errorf("%s/postgres --version: %w", dir, err)
	}
	m := versionText.FindSubmatch(out)
	if m == nil {
		return binaries{}, fmt.Errorf("%s/postgres --version answered %q", dir, bytes.TrimSpace(out))
	}
	major, err := strconv.Atoi(string(m[2]))
	if err != nil {
		return binaries{}, fmt.Errorf("%s/postgres --version: %w", dir, err)
	}
	if major < majorMin {
		return binaries{}, fmt.Errorf("%s holds PostgreSQL %s, at least %d is needed", dir, m[1], majorMin)
	}
	return binaries{dir: dir, version: string(m[1]), major: major}, nil
}

// clusterMajor is the major version that made the cluster in dir, 0 when there is none.
func clusterMajor(dir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dir, "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		if _, statErr := os.Stat(dir); errors.Is(statErr, os.ErrNotExist) {
			return 0, nil
		}
	}
	if err != nil {
		return 0, fmt.Errorf("the home database's data folder is not one of PostgreSQL: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("PG_VERSION of the home database: %w", err)
	}
	return major, nil
}

// childEnv is the whole environment of the server: none of this process's PG variables and secrets.
func childEnv() []string {
	return []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC"}
}
