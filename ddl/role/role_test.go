package role_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/role"
)

func TestPasswordsAreReplaced(t *testing.T) {
	for text, want := range map[string]string{
		"create role a login password 'geheim' in role b valid until 'infinity' connection limit 3": "CREATE ROLE a WITH LOGIN PASSWORD '<geheim>' IN ROLE b VALID UNTIL 'infinity' CONNECTION LIMIT 3",
		"create user \"A b\" encrypted password $$ge'heim$$":                                        "CREATE USER \"A b\" WITH PASSWORD '<ge''heim>'",
		"create group g with password U&'\\00e4!' sysid 1":                                          "CREATE GROUP g WITH PASSWORD '<ä!>' SYSID 1",
		"alter role a password E'x\\'' noinherit":                                                   "ALTER ROLE a WITH PASSWORD '<x''>' NOINHERIT",
		"alter user current_user password 'x'":                                                      "ALTER ROLE CURRENT_USER WITH PASSWORD '<x>'",
		"alter role a password null":                                                                "alter role a password null",
		"create role a -- without a password":                                                       "create role a",
	} {
		st := one(t, text)
		change, err := role.Of(st, func(p string) (string, error) { return "<" + p + ">", nil })
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, change.Text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestFailedVerifier(t *testing.T) {
	fault := errors.New("no randomness")
	if _, err := role.Of(one(t, "create role a password 'x'"), func(string) (string, error) { return "", fault }); !errors.Is(err, fault) {
		t.Fatalf("got %v, want %v", err, fault)
	}
}

// Whom a statement is about, in every way to say it.
func TestWhom(t *testing.T) {
	for text, want := range map[string]string{
		"create role a in role b, c role d admin e": "granted b c",
		"create role a in group b":                  "granted b",
		"create role a superuser":                   "refused",
		"create role a nosuperuser":                 "",
		"create role a bypassrls in role b":         "granted b refused",
		"alter role a replication":                  "subjects a refused",
		"alter role a in database d set x = 1":      "not",
		"alter role current_role login":             "own",
		"alter role session_user login":             "own",
		"alter group a add user b":                  "subjects a",
		"alter group a drop user current_user":      "subjects a own",
		"drop role a, b":                            "ended a b",
		"drop user if exists session_user":          "own",
		"grant a, b to c with admin option":         "granted a b",
		"grant a to current_user":                   "granted a own",
		"grant a to b granted by c":                 "granted a refused",
		"revoke a from b":                           "granted a",
		"alter role a rename to b":                  "ended a",
		"alter user a rename to b":                  "ended a",
		"alter table a rename to b":                 "not",
		"grant select on a to b":                    "not",
	} {
		st := one(t, text)
		if !role.Is(st) {
			if want != "not" {
				t.Errorf("%s: is none on roles, want %s", text, want)
			}
			continue
		}
		c, err := role.Of(st, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, list := range []struct {
			name  string
			roles []string
		}{{"subjects", c.Subjects}, {"granted", c.Granted}, {"ended", c.Ended}} {
			if len(list.roles) > 0 {
				got = append(append(got, list.name), list.roles...)
			}
		}
		if c.Own {
			got = append(got, "own")
		}
		if c.Refused != nil {
			got = append(got, "refused")
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func one(t *testing.T, text string) *parse.Statement {
	t.Helper()
	statements, err := parse.Split(text)
	if err != nil || len(statements) != 1 || statements[0].Err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return &statements[0]
}
