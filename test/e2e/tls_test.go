package e2e

import (
	"testing"

	"github.com/tablewright/tablewright/test/gatewaytest"
)

// authority signs certificates for tests and keeps them as files in a folder.
type authority struct{ *gatewaytest.Authority }

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a, err := gatewaytest.NewAuthority(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &authority{a}
}

// issue makes name.crt and name.key, for a server or client of that common name at 127.0.0.1.
func (a *authority) issue(t *testing.T, name string, serial int64) {
	t.Helper()
	if err := a.Issue(name, serial); err != nil {
		t.Fatal(err)
	}
}

func (a *authority) file(name string) string { return a.File(name) }
