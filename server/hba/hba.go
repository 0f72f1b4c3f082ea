// Package hba holds the rules that say how clients authenticate, in the form of PostgreSQL's pg_hba.conf:
// the first rule that fits a client decides.
package hba

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Method is how a client proves who it is.
type Method string

// The methods.
const (
	Trust       Method = "trust"         // not at all
	Reject      Method = "reject"        // it is refused
	ScramSHA256 Method = "scram-sha-256" // by its password
	Cert        Method = "cert"          // by a certificate whose common name is the role
)

// Rule is one line.
type Rule struct {
	Method Method
	// ClientCert is what is asked of a client's certificate beside the method.
	ClientCert ClientCert

	encrypted  *bool // nil: either
	databases  []string
	users      []string
	anyAddress bool
	sameHost   bool
	network    netip.Prefix
}

// ClientCert is what a rule asks of a client's certificate.
type ClientCert string

// What a rule may ask.
const (
	NoCert     ClientCert = ""
	VerifyCA   ClientCert = "verify-ca"
	VerifyFull ClientCert = "verify-full"
)

// Rules are in their order.
type Rules []Rule

// Client is what rules ask about.
type Client struct {
	Encrypted bool
	Database  string
	User      string
	Address   netip.Addr
	Local     netip.Addr // the address that the client reached
	// Member tells whether the user is a member of a role; it is asked for rules with +role only.
	Member func(role string) (bool, error)
}

// Parse reads rules, one a line: TYPE DATABASE USER ADDRESS METHOD [OPTION…].
func Parse(lines []string) (Rules, error) {
	var rules Rules
	var problems []error
	for _, line := range lines {
		rule, err := parseRule(strings.Fields(line))
		if err != nil {
			problems = append(problems, fmt.Errorf("%q: %w", line, err))
		}
		rules = append(rules, rule)
	}
	return rules, errors.Join(problems...)
}

func parseRule(fields []string) (Rule, error) {
	if len(fields) < 5 {
		return Rule{}, errors.New("a rule is TYPE DATABASE USER ADDRESS METHOD")
	}
	r := Rule{databases: strings.Split(fields[1], ","), users: strings.Split(fields[2], ","), Method: Method(fields[4])}
	yes, no := true, false
	switch fields[0] {
	case "host":
	case "hostssl":
		r.encrypted = &yes
	case "hostnossl":
		r.encrypted = &no
	default:
		return r, fmt.Errorf("type %q is none of host, hostssl, hostnossl", fields[0])
	}
	for _, name := range slices.Concat(r.databases, r.users) {
		if name == "" || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "@") {
			return r, fmt.Errorf("%q is no name: write names, all, or +role for its members", name)
		}
	}
	if err := r.parseAddress(fields[3]); err != nil {
		return r, err
	}
	if err := r.parseOptions(fields[5:]); err != nil {
		return r, err
	}
	return r, r.check()
}

func (r *Rule) check() error {
	switch r.Method {
	case Trust, Reject, ScramSHA256, Cert:
	default:
		return fmt.Errorf("method %q is none of trust, reject, scram-sha-256, cert", r.Method)
	}
	if (r.Method == Cert || r.ClientCert != NoCert) && (r.encrypted == nil || !*r.encrypted) {
		return errors.New("certificates of clients can be asked for with type hostssl only")
	}
	if r.Method == Cert && r.ClientCert == VerifyCA {
		return errors.New("method cert always compares the certificate's name: clientcert=verify-full")
	}
	return nil
}

func (r *Rule) parseAddress(text string) error {
	switch text {
	case "all":
		r.anyAddress = true
		return nil
	case "samehost":
		r.sameHost = true
		return nil
	}
	if addr, err := netip.ParseAddr(text); err == nil {
		r.network = netip.PrefixFrom(addr, addr.BitLen())
		return nil
	}
	network, err := netip.ParsePrefix(text)
	if err != nil {
		return fmt.Errorf("address %q is none of all, samehost, an IP address, a network in CIDR form", text)
	}
	r.network = network.Masked()
	return nil
}

func (r *Rule) parseOptions(options []string) error {
	for _, option := range options {
		name, value, _ := strings.Cut(option, "=")
		if name != "clientcert" || value != string(VerifyCA) && value != string(VerifyFull) {
			return fmt.Errorf("option %q is none of clientcert=verify-ca, clientcert=verify-full", option)
		}
		r.ClientCert = ClientCert(value)
	}
	return nil
}

// TrustsOthers tells whether the rule trusts clients of other hosts.
func (r Rule) TrustsOthers() bool {
	if r.Method != Trust || r.sameHost {
		return false
	}
	return r.anyAddress || !r.network.Addr().IsLoopback() || r.network.Bits() < 8
}

// NeedsCertificates tells whether the rule needs the authority of clients' certificates.
func (r Rule) NeedsCertificates() bool { return r.Method == Cert || r.ClientCert != NoCert }

// NeedsTLS tells whether only an encrypted client can fit the rule.
func (r Rule) NeedsTLS() bool { return r.encrypted != nil && *r.encrypted }

// Proves tells whether the rule makes clients prove who they are.
func (r Rule) Proves() bool { return r.Method == ScramSHA256 || r.Method == Cert }

// Find returns the first rule that fits a client, nil when none does.
func (rules Rules) Find(c Client) (*Rule, error) {
	for i := range rules {
		fits, err := rules[i].fits(c)
		if err != nil {
			return nil, err
		}
		if fits {
			return &rules[i], nil
		}
	}
	return nil, nil //nolint:nilnil // no rule is an answer
}

func (r *Rule) fits(c Client) (bool, error) {
	if r.encrypted != nil && *r.encrypted != c.Encrypted || !r.fitsAddress(c) || !r.fitsDatabase(c) {
		return false, nil
	}
	for _, name := range r.users {
		if name == "all" || name == c.User {
			return true, nil
		}
		if role, ok := strings.CutPrefix(name, "+"); ok {
			if member, err := c.Member(role); member || err != nil {
				return member, err
			}
		}
	}
	return false, nil
}

func (r *Rule) fitsAddress(c Client) bool {
	address := c.Address.Unmap().WithZone("")
	switch {
	case r.anyAddress:
		return true
	case r.sameHost:
		return address.IsLoopback() || address == c.Local.Unmap().WithZone("")
	default:
		return r.network.Contains(address)
	}
}

func (r *Rule) fitsDatabase(c Client) bool {
	return slices.ContainsFunc(r.databases, func(name string) bool {
		return name == "all" || name == c.Database || name == "sameuser" && c.Database == c.User
	})
}
