package server

import (
	"errors"
	"fmt"

	"github.com/tablewright/tablewright/server/hba"
)

// Access is who may come in and how. It is replaced as a whole when the configuration is read again;
// connections that are there already stay.
type Access struct {
	Rules hba.Rules
	TLS   *TLS // nil: not offered
	// Insecure allows trust for clients of other hosts; it is set by name in the configuration only.
	Insecure bool
}

// Check refuses what would let anybody in, or nobody. public tells whether other hosts reach the address
// that the gateway listens on.
func (a *Access) Check(public bool) error {
	var problems []error
	proves := false
	for i, rule := range a.Rules {
		proves = proves || rule.Proves()
		switch {
		case rule.TrustsOthers() && !a.Insecure:
			problems = append(problems, fmt.Errorf("rule %d trusts clients of other hosts (insecure allows it)", i+1))
		case rule.NeedsTLS() && a.TLS == nil:
			problems = append(problems, fmt.Errorf("rule %d needs TLS, which is not configured", i+1))
		case rule.NeedsCertificates() && !a.TLS.clients:
			problems = append(problems, fmt.Errorf("rule %d needs tls.client_ca_file", i+1))
		}
	}
	if public && !a.Insecure && (a.TLS == nil || !proves) {
		problems = append(problems, errors.New("other hosts reach the address to listen on: that needs TLS and a rule "+
			"with scram-sha-256 or cert (insecure allows it without)"))
	}
	return errors.Join(problems...)
}
