package embedded

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	certutil "k8s.io/client-go/util/cert"

	"github.com/tablewright/tablewright/k8s/internal/ownerfile"
)

const (
	// certLeftMin is the validity a serving certificate must still have at start.
	// It is valid for a year, and a process may run for long without a restart.
	certLeftMin = 90 * 24 * time.Hour

	loopbackHost = "127.0.0.1"
)

// servingCert is the API server's certificate: files for the server, and the
// chain in PEM by which clients know it.
type servingCert struct {
	certFile, keyFile string
	chain             []byte
}

// loadServingCert returns the certificate in dir, made anew when it is absent,
// damaged, not for this host or valid for less than certLeftMin after now.
func loadServingCert(dir string, now time.Time) (servingCert, error) {
	c := servingCert{
		certFile: filepath.Join(dir, "apiserver.crt"),
		keyFile:  filepath.Join(dir, "apiserver.key"),
	}
	if err := ownerfile.MkdirAll(dir); err != nil {
		return c, fmt.Errorf("folder of certificates: %w", err)
	}
	chain, err := os.ReadFile(c.certFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, fmt.Errorf("serving certificate: %w", err)
	}
	key, err := os.ReadFile(c.keyFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return c, fmt.Errorf("serving key: %w", err)
	}
	if usableCert(chain, key, now) {
		c.chain = chain
		return c, nil
	}
	chain, key, err = certutil.GenerateSelfSignedCertKey("localhost", []net.IP{net.ParseIP(loopbackHost)}, nil)
	if err != nil {
		return c, fmt.Errorf("make serving certificate: %w", err)
	}
	// A crash between the two leaves a pair that does not match: usableCert
	// sees that and both are made anew.
	if err := ownerfile.Write(c.keyFile, key); err != nil {
		return c, fmt.Errorf("serving key: %w", err)
	}
	if err := ownerfile.Write(c.certFile, chain); err != nil {
		return c, fmt.Errorf("serving certificate: %w", err)
	}
	c.chain = chain
	return c, nil
}

func usableCert(chain, key []byte, now time.Time) bool {
	pair, err := tls.X509KeyPair(chain, key)
	if err != nil || pair.Leaf == nil {
		return false
	}
	certs, err := certutil.ParseCertsPEM(chain)
	if err != nil {
		return false
	}
	for _, c := range certs { // the chain's own authority expires too
		if now.Before(c.NotBefore) || c.NotAfter.Sub(now) < certLeftMin {
			return false
		}
	}
	return pair.Leaf.VerifyHostname(loopbackHost) == nil
}
