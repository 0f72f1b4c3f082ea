package postgres_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
	"github.com/tablewright/tablewright/provision/postgres"
	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
)

func TestDeniedAddresses(t *testing.T) {
	s := newSystem(t)
	var asked []netip.AddrPort
	opener := postgres.New(postgres.Options{Deny: func(a netip.AddrPort) error {
		asked = append(asked, a)
		if a.Addr().IsLoopback() {
			return fmt.Errorf("connections to %s are not allowed", a)
		}
		return nil
	}})
	for _, host := range []string{"127.0.0.1", "localhost", "127.1", "::ffff:127.0.0.1"} {
		asked = nil
		_, err := opener.Open(t.Context(), s.catalog("home", catalog.Option{Name: "host", Value: host}), s.Secrets)
		var e *sqlerr.Error
		if !errors.As(err, &e) || e.Code != sqlerr.InsufficientPrivilege && e.Code != sqlerr.FDWUnableToEstablish {
			t.Fatalf("host %s: %v", host, err)
		}
		if e.Code == sqlerr.InsufficientPrivilege && len(asked) == 0 {
			t.Fatalf("host %s was refused unasked", host)
		}
	}
	for _, host := range []string{"/var/run/postgresql", "@abstract", "./here", "a,b", "", "127.0.0.1 user=postgres"} {
		c := s.catalog("socket", catalog.Option{Name: "host", Value: host})
		_, err := opener.Open(t.Context(), c, s.Secrets)
		checkCode(t, "open with host "+host, err, sqlerr.InvalidParameterValue)
		if host != "" {
			checkCode(t, "check of host "+host, opener.Check(c, plan.Resource{Kind: plan.CatalogKind}), sqlerr.InvalidParameterValue)
		}
	}
}

// The gateway's own environment has no say in where a catalog lies or how it logs in.
func TestEnvironmentIsNotRead(t *testing.T) {
	s := newSystem(t)
	environment := map[string]string{
		"PGHOST": "elsewhere.invalid", "PGPORT": "1", "PGUSER": "nobody", "PGPASSWORD": "wrong", "PGDATABASE": "none",
		"PGSSLMODE": "verify-full", "PGOPTIONS": "-c default_transaction_read_only=on", "PGAPPNAME": "other",
		"PGTARGETSESSIONATTRS": "read-only", "PGCONNECT_TIMEOUT": "1",
	}
	for name, value := range environment {
		t.Setenv(name, value)
	}
	p := s.open(t, s.Catalog)
	if _, err := p.Create(t.Context(), orders(), provision.Call{}); err != nil {
		t.Fatalf("create: %v", err)
	}
	bare := s.catalog("pg", catalog.Option{Name: "password", Value: ""})
	_, err := s.Opener.Open(t.Context(), bare, s.Secrets)
	checkCode(t, "open without a password", err, sqlerr.FDWUnableToEstablish)
	for name := range environment {
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTLS runs every sslmode against a server with a certificate of its own authority.
func TestTLS(t *testing.T) {
	ca, cert, key := certificates(t)
	tlsServer, err := pgserver.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := tlsServer.Stop(); err != nil {
			t.Error(err)
		}
	}()
	installCertificate(t, tlsServer, cert, key)
	plain := server
	open := func(s *pgserver.Server, mode, root string) error {
		c := catalog.Catalog{Name: "tls", Type: "postgres", Options: catalog.Options{
			{Name: "host", Value: pgserver.Host},
			{Name: "port", Value: fmt.Sprint(s.Port)},
			{Name: "user", Value: pgserver.Superuser},
			{Name: "password", Value: pgserver.Password},
			{Name: "database", Value: "postgres"},
			{Name: "sslmode", Value: mode},
			{Name: "sslrootcert", Value: root},
		}}
		p, err := postgres.New(postgres.Options{}).Open(t.Context(), c, nil)
		if err == nil {
			err = p.Close()
		}
		return err
	}
	tests := []struct {
		server     *pgserver.Server
		mode, root string
		works      bool
	}{
		{tlsServer, "disable", "", false}, // its pg_hba.conf wants TLS
		{tlsServer, "allow", "", true},
		{tlsServer, "prefer", "", true},
		{tlsServer, "require", "", true},
		{tlsServer, "require", ca, true},
		{tlsServer, "verify-ca", ca, true},
		{tlsServer, "verify-full", ca, true},
		{tlsServer, "verify-ca", "system", false},
		{tlsServer, "verify-full", "", false},
		{tlsServer, "require", otherAuthority(t), false},
		{plain, "prefer", "", true},
		{plain, "allow", "", true},
		{plain, "disable", "", true},
		{plain, "require", "", false},
	}
	for _, test := range tests {
		err := open(test.server, test.mode, test.root)
		if test.works && err != nil {
			t.Errorf("%s on port %d: %v", test.mode, test.server.Port, err)
		}
		if !test.works {
			checkCode(t, test.mode, err, sqlerr.FDWUnableToEstablish)
		}
	}
	checkCode(t, "a path in sslrootcert", open(tlsServer, "verify-ca", "/etc/passwd"), sqlerr.InvalidParameterValue)
}

func installCertificate(t *testing.T, s *pgserver.Server, cert, key string) {
	t.Helper()
	data := filepath.Join(s.Dir, "data")
	for name, content := range map[string]string{"server.crt": cert, "server.key": key, "pg_hba.conf": "hostssl all all all scram-sha-256\n"} {
		path := filepath.Join(data, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.Own(path); err != nil {
			t.Fatal(err)
		}
	}
	config, err := os.OpenFile(filepath.Join(data, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := config.WriteString("ssl=on\n"); err != nil {
		t.Fatal(err)
	}
	if err := config.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Down(); err != nil {
		t.Fatal(err)
	}
	if err := s.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// certificates returns an authority, and a certificate for the loopback address by it, in PEM form.
func certificates(t *testing.T) (ca, cert, key string) {
	t.Helper()
	authority, authorityKey, caPEM := makeAuthority(t)
	serverKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "server"}, IPAddresses: []net.IP{net.ParseIP(pgserver.Host)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, authority, &serverKey.PublicKey, authorityKey)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(serverKey)
	if err != nil {
		t.Fatal(err)
	}
	return caPEM, encode("CERTIFICATE", der), encode("EC PRIVATE KEY", keyDER)
}

func otherAuthority(t *testing.T) string {
	t.Helper()
	_, _, text := makeAuthority(t)
	return text
}

func makeAuthority(t *testing.T) (*x509.Certificate, *ecdsa.PrivateKey, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key, encode("CERTIFICATE", der)
}

func encode(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// A server that stands still does not hold calls beyond their context.
func TestFrozenNetwork(t *testing.T) {
	s := newSystem(t)
	p := s.open(t, s.Catalog)
	s.proxy.Freeze()
	defer s.proxy.Thaw()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	begun := time.Now()
	_, err := p.Observe(ctx, orders())
	if took := time.Since(begun); err == nil || took > 2*time.Second {
		t.Fatalf("observe over a frozen network took %s: %v", took, err)
	}
	checkCode(t, "observe over a frozen network", err, sqlerr.IOError)
}

// A server that was restarted is found again by a pool that holds its old connections.
func TestServerRestarts(t *testing.T) {
	own, err := pgserver.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := own.Stop(); err != nil {
			t.Error(err)
		}
	}()
	c := catalog.Catalog{Name: "restarts", Type: "postgres", Options: catalog.Options{
		{Name: "host", Value: pgserver.Host},
		{Name: "port", Value: fmt.Sprint(own.Port)},
		{Name: "user", Value: pgserver.Superuser},
		{Name: "password", Value: pgserver.Password},
	}}
	p, err := postgres.New(postgres.Options{}).Open(t.Context(), c, nil)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	defer p.Close()
	if _, err := p.Create(t.Context(), orders(), provision.Call{}); err != nil {
		t.Fatalf("create: %v", err)
	}
	if err := own.Down(); err != nil {
		t.Fatal(err)
	}
	_, err = p.Observe(t.Context(), orders())
	if err == nil || !provision.Retryable(err) || strings.Contains(err.Error(), pgserver.Password) {
		t.Fatalf("observe of a stopped server: %v", err)
	}
	if err := own.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	if o, err := p.Observe(t.Context(), orders()); err != nil || !o.Exists {
		t.Fatalf("observe of the restarted server: %+v, %v", o, err)
	}
}
