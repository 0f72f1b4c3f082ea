package embedded

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/tablewright/tablewright/k8s/internal/ownerfile"
)

const (
	// socketPathMax is the longest path of a unix socket in bytes: what every
	// system's sockaddr_un holds, less the final NUL.
	socketPathMax = 103
	socketName    = "etcd.sock"
)

// socketPath chooses and makes the folder of etcd's socket.
func socketPath(o Options) (string, error) {
	dir := o.RuntimeDir
	if dir == "" {
		dir = filepath.Join(o.Dir, "run")
		if len(filepath.Join(dir, socketName)) > socketPathMax {
			sum := sha256.Sum256([]byte(o.Dir))
			name := "tablewright-" + strconv.Itoa(os.Getuid()) + "-" + hex.EncodeToString(sum[:6])
			dir = filepath.Join(os.TempDir(), name)
		}
	}
	path := filepath.Join(dir, socketName)
	if len(path) > socketPathMax {
		return "", fmt.Errorf("path of etcd's socket %s has %d bytes, at most %d are possible: choose a shorter runtime folder",
			path, len(path), socketPathMax)
	}
	if err := ownerfile.MkdirAll(dir); err != nil {
		return "", fmt.Errorf("runtime folder %s: %w", dir, err)
	}
	// Under a shared temporary folder somebody else may have made it, or a link.
	info, err := os.Lstat(dir)
	if err != nil {
		return "", fmt.Errorf("runtime folder %s: %w", dir, err)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || !ok || int(st.Uid) != os.Getuid() {
		return "", fmt.Errorf("runtime folder %s is not a folder of this user", dir)
	}
	return path, nil
}
