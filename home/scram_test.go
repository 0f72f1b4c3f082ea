package home_test

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/base64"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/home/hometest"
	"github.com/tablewright/tablewright/home/postmaster"
)

// The keys that a SCRAM server learns of its client log that client in at a home database with the same
// verifier.
func TestScramKeysLogIn(t *testing.T) {
	ctx := t.Context()
	socket := hometest.Bare(t)
	hometest.RunSetup(t, socket)
	super, err := pgx.Connect(ctx, hometest.DSN(socket, postmaster.Superuser, hometest.ExternalDatabase))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = super.Close(ctx) }()
	if _, err := super.Exec(ctx, "create role zoë login password 'sesame'; alter role "+hometest.ExternalOwner+" password 'owner'"); err != nil {
		t.Fatal(err)
	}
	var hba string
	if err := super.QueryRow(ctx, "select current_setting('hba_file')").Scan(&hba); err != nil {
		t.Fatal(err)
	}
	rules := "local all " + postmaster.Superuser + " trust\nlocal all admin password\nlocal all all scram-sha-256\n"
	if err := os.WriteFile(filepath.Clean(hba), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := super.Exec(ctx, "select pg_reload_conf()"); err != nil {
		t.Fatal(err)
	}
	h := hometest.Open(t, home.Options{DSN: hometest.DSN(socket, hometest.ExternalOwner, hometest.ExternalDatabase) + " password=owner"})
	role, err := h.Role(ctx, "zoë")
	if err != nil {
		t.Fatal(err)
	}
	keys := keysOf(t, role.Verifier, "sesame")
	conn, err := h.Login(ctx, home.Login{User: "zoë", Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	s := hometest.Wrap(t, h, conn)
	if rows, err := s.Run(ctx, "select session_user"); err != nil || rows[0] != "zoë" {
		t.Errorf("session of %v, %v", rows, err)
	}
	wrong := keysOf(t, role.Verifier, "open")
	for name, l := range map[string]home.Login{
		"wrong keys":   {User: "zoë", Keys: wrong},
		"no keys":      {User: "zoë"},
		"other method": {User: "admin", Keys: keys},
	} {
		if _, err := h.Login(ctx, l); hometest.Code(err) != "28P01" {
			t.Errorf("%s: %v, want 28P01", name, err)
		}
	}
	// A server that does not know the verifier is not believed.
	if _, err := h.Login(ctx, home.Login{User: "zoë", Keys: &home.ScramKeys{ClientKey: keys.ClientKey, ServerKey: wrong.ServerKey}}); err == nil || !strings.Contains(cause(err), "did not prove") {
		t.Errorf("a server without the verifier: %v", err)
	}
}

func cause(err error) string {
	for {
		inner, ok := err.(interface{ Unwrap() error })
		if !ok {
			return err.Error()
		}
		err = inner.Unwrap()
	}
}

// keysOf does what a client does with its password, and the server with its proof.
func keysOf(t *testing.T, verifier, password string) *home.ScramKeys {
	t.Helper()
	parts := strings.Split(verifier, "$")
	count, salt, ok := strings.Cut(parts[1], ":")
	if !ok {
		t.Fatalf("verifier %s", verifier)
	}
	iterations, err := strconv.Atoi(count)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(salt)
	if err != nil {
		t.Fatal(err)
	}
	salted, err := pbkdf2.Key(sha256.New, password, raw, iterations, sha256.Size)
	if err != nil {
		t.Fatal(err)
	}
	key := func(text string) []byte {
		mac := hmac.New(sha256.New, salted)
		mac.Write([]byte(text))
		return mac.Sum(nil)
	}
	return &home.ScramKeys{ClientKey: key("Client Key"), ServerKey: key("Server Key")}
}
