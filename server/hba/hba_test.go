package hba_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/tablewright/tablewright/server/hba"
)

func TestFirstRuleThatFitsDecides(t *testing.T) {
	rules, err := hba.Parse([]string{
		"host all banned all reject",
		"hostnossl all all 10.0.0.0/8 reject",
		"hostssl sales,sameuser +staff 10.1.0.0/16 cert",
		"host  all\tall 10.1.2.3  scram-sha-256",
		"hostssl all all 2001:db8::/32 scram-sha-256 clientcert=verify-ca",
		"host all local samehost trust",
		"host all all ::1 trust",
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		address, user, database string
		encrypted               bool
		want                    hba.Method
	}{
		{"10.1.2.3", "banned", "x", true, hba.Reject},
		{"10.1.2.3", "anna", "x", false, hba.Reject},
		{"10.1.2.3", "anna", "x", true, hba.ScramSHA256},
		{"::ffff:10.1.2.3", "anna", "x", true, hba.ScramSHA256},
		{"10.1.9.9", "carl", "sales", true, hba.Cert},
		{"10.1.9.9", "carl", "carl", true, hba.Cert},
		{"10.1.9.9", "carl", "x", true, ""},
		{"10.1.9.9", "anna", "sales", true, ""},
		{"11.0.0.1", "anna", "x", true, ""},
		{"2001:db8::7", "anna", "x", true, hba.ScramSHA256},
		{"2001:db8::7", "anna", "x", false, ""},
		{"192.0.2.1", "local", "x", false, hba.Trust},
		{"192.0.2.2", "local", "x", false, ""},
		{"127.0.0.1", "local", "x", false, hba.Trust},
		{"::1", "anna", "x", false, hba.Trust},
		{"::1", "anna", "replication", false, hba.Trust},
	} {
		rule, err := rules.Find(hba.Client{
			Address: netip.MustParseAddr(c.address), Local: netip.MustParseAddr("192.0.2.1"), User: c.user, Database: c.database, Encrypted: c.encrypted,
			Member: func(role string) (bool, error) { return role == "staff" && c.user == "carl", nil },
		})
		got := hba.Method("")
		if rule != nil {
			got = rule.Method
		}
		if err != nil || got != c.want {
			t.Errorf("%+v: got %q, %v", c, got, err)
		}
	}
	fault := errors.New("home does not answer")
	_, err = rules.Find(hba.Client{
		Address: netip.MustParseAddr("10.1.9.9"), User: "x", Database: "y", Encrypted: true,
		Member: func(string) (bool, error) { return false, fault },
	})
	if err != nil {
		t.Errorf("a membership that no rule needs: %v", err)
	}
	_, err = rules.Find(hba.Client{
		Address: netip.MustParseAddr("10.1.9.9"), User: "x", Database: "sales", Encrypted: true,
		Member: func(string) (bool, error) { return false, fault },
	})
	if !errors.Is(err, fault) {
		t.Errorf("got %v, want %v", err, fault)
	}
}

func TestMistakes(t *testing.T) {
	for line, want := range map[string]string{
		"":                                  "TYPE DATABASE USER ADDRESS METHOD",
		"local all all trust":               "TYPE DATABASE USER ADDRESS METHOD",
		"local all all all trust":           "hostssl",
		"host all all all password":         "password",
		"host all all 10.0.0.0 255.0.0.0 x": "255.0.0.0",
		"host all all 10.0.0.0/33 trust":    "10.0.0.0/33",
		"host all all samenet trust":        "samenet",
		"host all /re all trust":            "/re",
		"host all a,,b all trust":           "no name",
		"host @file all all trust":          "@file",
		"hostnossl all all all cert":        "hostssl only",

		"host all all all scram-sha-256 clientcert=verify-ca": "hostssl only",
		"hostssl all all all cert clientcert=verify-ca":       "verify-full",
		"hostssl all all all scram-sha-256 map=x":             "map=x",
	} {
		if _, err := hba.Parse([]string{line}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error that names %q", line, err, want)
		}
	}
}
