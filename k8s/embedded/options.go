package embedded

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/go-logr/logr"
)

const (
	// quotaBytesDefault bounds the data: past it, writes are refused.
	quotaBytesDefault = 1 << 30
	// quotaBytesMin is less than which etcd can not even hold its own tables.
	quotaBytesMin = 16 << 20
	portMax       = 65535
)

// Options say where and how a control plane runs.
type Options struct {
	// Dir is the folder of this control plane alone. Required; made if absent.
	Dir string
	// Port is the loopback TCP port. 0 takes the port of the last run if that is
	// free, else any free one, and keeps it in Dir.
	Port int
	// RuntimeDir is where etcd's unix socket is made, owner-only. Empty: `run` in
	// Dir, or a folder of its own under the system's temporary one when that path
	// would be too long for a socket.
	RuntimeDir string
	// QuotaBytes bounds the data of etcd, in bytes; past it writes are refused. 0
	// means 1 GiB.
	QuotaBytes int64
	// Log receives what etcd says; the zero value discards it. What the
	// Kubernetes libraries say goes through klog: see RouteKlog.
	Log logr.Logger
}

// complete checks the options and returns them with absolute paths and defaults.
func (o Options) complete() (Options, error) {
	if o.Dir == "" {
		return o, errors.New("embedded control plane: no folder given")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return o, fmt.Errorf("embedded control plane: folder %q: %w", o.Dir, err)
	}
	o.Dir = dir
	if o.RuntimeDir != "" {
		if o.RuntimeDir, err = filepath.Abs(o.RuntimeDir); err != nil {
			return o, fmt.Errorf("embedded control plane: runtime folder: %w", err)
		}
	}
	if o.Port < 0 || o.Port > portMax {
		return o, fmt.Errorf("embedded control plane: port %d is not between 0 and %d", o.Port, portMax)
	}
	if o.QuotaBytes == 0 {
		o.QuotaBytes = quotaBytesDefault
	}
	if o.QuotaBytes < quotaBytesMin {
		return o, fmt.Errorf("embedded control plane: quota of %d bytes is below %d", o.QuotaBytes, int64(quotaBytesMin))
	}
	return o, nil
}
