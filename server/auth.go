package server

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/home/scram"
	"github.com/tablewright/tablewright/server/hba"
	"github.com/tablewright/tablewright/server/wire"
)

// Roles are the home database's, read afresh for each login.
type Roles interface {
	// Role reads a role; one that does not exist is no error.
	Role(ctx context.Context, name string) (home.Role, error)
	// IsMember tells whether a role is a member of another one.
	IsMember(ctx context.Context, name, of string) (bool, error)
	// MockSalt is a salt for a role that has none: the same each time, and not to be foreseen.
	MockSalt(name string) []byte
	// GatewayRole is the role of the gateway's own connections: no client logs in as it.
	GatewayRole() string
}

// applicant is a client that asks to come in.
type applicant struct {
	wire           *wire.Conn
	remote, local  net.Addr
	peer           peer
	user, database string
}

// authenticate decides whether a client is who it says and may come in. It returns the keys that the
// client's proof revealed, nil when it needed none, and the role; its errors are worded as PostgreSQL words
// them.
func (s *Server) authenticate(ctx context.Context, a *applicant) (*home.ScramKeys, home.Role, error) {
	rule, err := s.findRule(ctx, a)
	if err != nil {
		return nil, home.Role{}, err
	}
	if err := a.checkCertificate(rule); err != nil {
		return nil, home.Role{}, err
	}
	role, err := s.opts.Roles.Role(ctx, a.user)
	if err != nil {
		return nil, role, sqlerr.Wrap(err, sqlerr.CannotConnectNow, "the database system is not accepting connections")
	}
	var keys *home.ScramKeys
	if rule.Method == hba.ScramSHA256 {
		if keys, err = s.askPassword(a, role); err != nil {
			return nil, role, err
		}
	}
	return keys, role, s.checkRole(a, role)
}

// findRule finds the rule for a client; none, or one that rejects, is the end of it.
func (s *Server) findRule(ctx context.Context, a *applicant) (*hba.Rule, error) {
	access := s.access.Load()
	rule, err := access.Rules.Find(hba.Client{
		Encrypted: a.peer.encrypted, Database: a.database, User: a.user,
		Address: addressOf(a.remote), Local: addressOf(a.local),
		Member: func(role string) (bool, error) { return s.opts.Roles.IsMember(ctx, a.user, role) },
	})
	switch {
	case err != nil:
		return nil, sqlerr.Wrap(err, sqlerr.CannotConnectNow, "the database system is not accepting connections")
	case rule == nil:
		return nil, a.refused("no pg_hba.conf entry for")
	case rule.Method == hba.Reject:
		return nil, a.refused("pg_hba.conf rejects connection for")
	case rule.Method == hba.Trust && !access.Insecure && !addressOf(a.remote).IsLoopback():
		// Only a samehost rule gets here: the address of a network card may be taken over.
		return nil, a.refused("no pg_hba.conf entry for")
	}
	return rule, nil
}

func (a *applicant) refused(why string) error {
	encryption := "no encryption"
	if a.peer.encrypted {
		encryption = "SSL encryption"
	}
	return sqlerr.New(sqlerr.InvalidAuthorization, "%s host \"%s\", user \"%s\", database \"%s\", %s",
		why, addressOf(a.remote), a.user, a.database, encryption)
}

// checkCertificate checks what a rule asks of the client's certificate. One that no known authority signed
// has already ended the handshake.
func (a *applicant) checkCertificate(rule *hba.Rule) error {
	switch {
	case !rule.NeedsCertificates():
		return nil
	case !a.peer.verified:
		return sqlerr.New(sqlerr.InvalidAuthorization, "connection requires a valid client certificate")
	case rule.ClientCert == hba.VerifyCA || a.peer.commonName == a.user:
		return nil
	case rule.Method == hba.Cert:
		return sqlerr.New(sqlerr.InvalidAuthorization, "certificate authentication failed for user \"%s\"", a.user)
	default:
		return a.passwordFailed()
	}
}

// askPassword is the SCRAM exchange. A role without a usable verifier, or none at all, goes through the same
// steps and fails at their end, so that the answer tells nothing of who exists.
func (s *Server) askPassword(a *applicant, role home.Role) (*home.ScramKeys, error) {
	verifier, err := scram.ParseVerifier(role.Verifier)
	if err != nil || isExpired(role) {
		verifier = scram.Mock(s.opts.Roles.MockSalt(a.user))
	}
	mechanisms := []string{scram.Plain}
	if a.peer.binding != nil {
		mechanisms = []string{scram.Plus, scram.Plain}
	}
	if err := a.wire.SendSASL(mechanisms); err != nil {
		return nil, err
	}
	first, err := a.wire.ReadSASLInitial()
	if err != nil {
		return nil, err
	}
	exchange, err := scram.Begin(verifier, first.Mechanism, a.peer.binding)
	if err != nil {
		return nil, err
	}
	challenge, err := exchange.Challenge(first.Data)
	if err != nil {
		return nil, err
	}
	if err := a.wire.SendSASLContinue(challenge); err != nil {
		return nil, err
	}
	proof, err := a.wire.ReadSASL()
	if err != nil {
		return nil, err
	}
	final, keys, ok, err := exchange.Verify(proof)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, a.passwordFailed()
	}
	return &home.ScramKeys{ClientKey: keys.ClientKey, ServerKey: keys.ServerKey}, a.wire.SendSASLFinal(final)
}

func (a *applicant) passwordFailed() error {
	return sqlerr.New(sqlerr.InvalidPassword, "password authentication failed for user \"%s\"", a.user)
}

func isExpired(role home.Role) bool {
	return !role.ValidUntil.IsZero() && role.ValidUntil.Before(time.Now())
}

// checkRole checks what holds however the client proved who it is.
func (s *Server) checkRole(a *applicant, role home.Role) error {
	switch {
	case !role.Exists:
		return sqlerr.New(sqlerr.InvalidAuthorization, "role \"%s\" does not exist", a.user)
	case !role.CanLogin || role.Superuser || a.user == s.opts.Roles.GatewayRole() || strings.HasPrefix(a.user, "pg_"):
		return sqlerr.New(sqlerr.InvalidAuthorization, "role \"%s\" is not permitted to log in", a.user)
	}
	switch a.database {
	case s.opts.Database, "postgres", "template1":
		return nil
	default:
		return sqlerr.New(sqlerr.InvalidCatalogName, "database \"%s\" does not exist", a.database).
			WithHint("A catalog is no database: connect to \"%s\" and SET search_path, or write the catalog in names.", s.opts.Database)
	}
}

func addressOf(addr net.Addr) netip.Addr {
	if tcp, ok := addr.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}
