package server

import (
	"crypto/sha256"
	"crypto/sha512"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"hash"
	"os"
)

// ALPN is the protocol that a client names which begins with TLS at once.
const ALPN = "postgresql"

// TLS is what connections are encrypted with.
type TLS struct {
	config *tls.Config
	// binding is the tls-server-end-point hash of the certificate (RFC 5929), nil when its signature has no
	// hash of its own, as with Ed25519: such a connection offers no channel binding.
	binding []byte
	// clients tells whether certificates of clients can be checked.
	clients bool
}

// LoadTLS reads the certificate with its chain, its key, and, when clientCAFile is not empty, the authorities
// of clients' certificates.
func LoadTLS(certFile, keyFile, clientCAFile string) (*TLS, error) {
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("TLS: %w", err)
	}
	t := &TLS{binding: endPoint(pair.Leaf), config: &tls.Config{
		Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{ALPN},
		// As PostgreSQL: a ticket would outlive the certificate that a reload has replaced.
		SessionTicketsDisabled: true,
	}}
	if clientCAFile == "" {
		return t, nil
	}
	authorities, err := os.ReadFile(clientCAFile)
	if err != nil {
		return nil, fmt.Errorf("TLS: %w", err)
	}
	t.config.ClientCAs = x509.NewCertPool()
	if !t.config.ClientCAs.AppendCertsFromPEM(authorities) {
		return nil, fmt.Errorf("TLS: %s holds no certificate", clientCAFile)
	}
	t.config.ClientAuth, t.clients = tls.VerifyClientCertIfGiven, true
	return t, nil
}

// endPoint hashes a certificate by the hash of its signature, MD5 and SHA-1 replaced by SHA-256.
func endPoint(cert *x509.Certificate) []byte {
	var h hash.Hash
	switch cert.SignatureAlgorithm {
	case x509.MD5WithRSA, x509.SHA1WithRSA, x509.ECDSAWithSHA1,
		x509.SHA256WithRSA, x509.SHA256WithRSAPSS, x509.ECDSAWithSHA256:
		h = sha256.New()
	case x509.SHA384WithRSA, x509.SHA384WithRSAPSS, x509.ECDSAWithSHA384:
		h = sha512.New384()
	case x509.SHA512WithRSA, x509.SHA512WithRSAPSS, x509.ECDSAWithSHA512:
		h = sha512.New()
	default:
		return nil
	}
	h.Write(cert.Raw)
	return h.Sum(nil)
}

// peer is what TLS tells of a connection.
type peer struct {
	encrypted  bool
	binding    []byte
	commonName string // of a client's certificate that was verified
	verified   bool
}

func newPeer(t *TLS, state tls.ConnectionState) peer {
	p := peer{encrypted: true, binding: t.binding}
	if len(state.VerifiedChains) > 0 {
		p.verified, p.commonName = true, state.PeerCertificates[0].Subject.CommonName
	}
	return p
}

var (
	errNoDirectTLS = errors.New("the client began with TLS, which is not configured")
	errNoALPN      = errors.New("the client began with TLS without naming the protocol by ALPN")
)
