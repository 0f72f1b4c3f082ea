package embedded

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"time"
)

const (
	adminKubeconfig       = "kubeconfig"
	provisionerKubeconfig = "provisioner.kubeconfig"
)

// files is what a start finds or makes in the folder, and the open port.
type files struct {
	uid, socket, server string
	tokens              tokens
	cert                servingCert
	listener            net.Listener
}

func prepareFiles(ctx context.Context, o Options) (f files, err error) {
	if f.socket, err = socketPath(o); err != nil {
		return f, err
	}
	if f.uid, err = loadUID(o.Dir); err != nil {
		return f, err
	}
	if f.tokens, err = loadTokens(o.Dir); err != nil {
		return f, err
	}
	if f.cert, err = loadServingCert(filepath.Join(o.Dir, "certs"), time.Now()); err != nil {
		return f, err
	}
	if f.listener, err = listen(ctx, o.Dir, o.Port); err != nil {
		return f, err
	}
	f.server = apiURL(portOf(f.listener))
	// Written at every start: port, certificate or tokens may be new.
	err = writeKubeconfig(filepath.Join(o.Dir, adminKubeconfig), f.server, f.tokens.admin, f.cert.chain)
	if err == nil {
		err = writeKubeconfig(filepath.Join(o.Dir, provisionerKubeconfig), f.server, f.tokens.provisioner, f.cert.chain)
	}
	if err != nil {
		return f, errors.Join(err, f.listener.Close())
	}
	return f, nil
}
