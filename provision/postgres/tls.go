package postgres

import (
	"crypto/tls"
	"crypto/x509"
	"errors"

	"github.com/tablewright/tablewright/provision"
)

// tlsConfigs returns what to try in turn, as libpq's sslmode says; nil is a connection without TLS.
func (t target) tlsConfigs() ([]*tls.Config, error) {
	roots, err := t.roots()
	if err != nil {
		return nil, err
	}
	unchecked := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true} //nolint:gosec // sslmode asks for it
	switch t.sslMode {
	case "disable":
		return []*tls.Config{nil}, nil
	case "allow":
		return []*tls.Config{nil, unchecked}, nil
	case sslPrefer:
		return []*tls.Config{unchecked, nil}, nil
	case "require":
		if t.rootCert == "" {
			return []*tls.Config{unchecked}, nil
		}
		return []*tls.Config{chainOnly(roots)}, nil
	case "verify-ca":
		return []*tls.Config{chainOnly(roots)}, nil
	case "verify-full":
		return []*tls.Config{{MinVersion: tls.VersionTLS12, RootCAs: roots, ServerName: t.host}}, nil
	default:
		return nil, provision.Error(provision.Invalid, "invalid value for option %q: %q", "sslmode", t.sslMode)
	}
}

// roots returns the trusted certificates; nil means the machine's own.
func (t target) roots() (*x509.CertPool, error) {
	if t.rootCert == "" || t.rootCert == "system" {
		return nil, nil
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(t.rootCert)) {
		return nil, provision.Error(provision.Invalid, "option %q holds no certificate in PEM form", "sslrootcert").
			WithHint(`A file is named by a reference: sslrootcert = 'file:…'.`)
	}
	return pool, nil
}

// chainOnly checks the certificate's chain and not its name, which crypto/tls does not offer by itself.
func chainOnly(roots *x509.CertPool) *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, //nolint:gosec // the chain is verified below
		VerifyConnection: func(state tls.ConnectionState) error {
			if len(state.PeerCertificates) == 0 {
				return errors.New("server sent no certificate")
			}
			intermediates := x509.NewCertPool()
			for _, c := range state.PeerCertificates[1:] {
				intermediates.AddCert(c)
			}
			_, err := state.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: intermediates})
			return err
		},
	}
}
