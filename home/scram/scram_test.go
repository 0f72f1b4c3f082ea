package scram_test

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home/scram"
)

// client is the other side, written from the RFC.
type client struct{ password, header, bound string }

func (c client) final(first, challenge string) string {
	fields := map[string]string{}
	for part := range strings.SplitSeq(challenge, ",") {
		fields[part[:1]] = part[2:]
	}
	salt, _ := base64.StdEncoding.DecodeString(fields["s"])
	var iterations int
	_, _ = fmt.Sscan(fields["i"], &iterations)
	salted, _ := pbkdf2.Key(sha256.New, c.password, salt, iterations, sha256.Size)
	key := mac(salted, "Client Key")
	stored := sha256.Sum256(key)
	without := "c=" + base64.StdEncoding.EncodeToString([]byte(c.header+c.bound)) + ",r=" + fields["r"]
	proof := mac(stored[:], first+","+challenge+","+without)
	subtle.XORBytes(proof, proof, key)
	return without + ",p=" + base64.StdEncoding.EncodeToString(proof)
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

func TestExchange(t *testing.T) {
	verifier, err := scram.NewVerifier("geheim")
	if err != nil {
		t.Fatal(err)
	}
	const plus, binding = "p=tls-server-end-point,,", "hash of the certificate"
	for name, c := range map[string]struct {
		mechanism, header, password, bound string
		offered                            string
		want                               string // SQLSTATE, "yes" or "no"
	}{
		"in clear":                    {scram.Plain, "n,,", "geheim", "", "", "yes"},
		"in clear, could bind":        {scram.Plain, "y,,", "geheim", "", "", "yes"},
		"encrypted, not bound":        {scram.Plain, "n,,", "geheim", "", binding, "yes"},
		"bound":                       {scram.Plus, plus, "geheim", binding, binding, "yes"},
		"wrong password":              {scram.Plain, "n,,", "falsch", "", "", "no"},
		"bound, wrong password":       {scram.Plus, plus, "falsch", binding, binding, "no"},
		"bound to another server":     {scram.Plus, plus, "geheim", "another", binding, "28000"},
		"offer taken away":            {scram.Plain, "y,,", "geheim", "", binding, "28000"},
		"bound in clear":              {scram.Plus, plus, "geheim", binding, "", "08P01"},
		"unknown mechanism":           {"PLAIN", "n,,", "geheim", "", binding, "08P01"},
		"bound by another method":     {scram.Plus, "p=tls-unique,,", "geheim", binding, binding, "08P01"},
		"plus without binding":        {scram.Plus, "n,,", "geheim", "", binding, "08P01"},
		"binding without plus":        {scram.Plain, plus, "geheim", binding, binding, "08P01"},
		"authorization identity":      {scram.Plain, "n,a=boss,", "geheim", "", "", "0A000"},
		"unknown flag":                {scram.Plain, "x,,", "geheim", "", "", "08P01"},
		"header changed at the end":   {scram.Plain, "n,,", "geheim", "more", "", "08P01"},
		"final of another first flag": {scram.Plain, "y,,", "geheim", "\x00", "", "08P01"},
	} {
		t.Run(name, func(t *testing.T) {
			var offered []byte
			if c.offered != "" {
				offered = []byte(c.offered)
			}
			got, keys, err := converse(verifier, c.mechanism, offered, c.header, client{c.password, c.header, c.bound})
			if e, ok := errors.AsType[*sqlerr.Error](err); ok {
				got = e.Code
			} else if err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Fatalf("got %s, want %s (%v)", got, c.want, err)
			}
			if stored := sha256.Sum256(keys.ClientKey); got == "yes" && string(stored[:]) != string(verifier.StoredKey) {
				t.Fatal("the key is not the client's")
			}
		})
	}
}

func converse(v scram.Verifier, mechanism string, binding []byte, header string, c client) (string, scram.Keys, error) {
	x, err := scram.Begin(v, mechanism, binding)
	if err != nil {
		return "", scram.Keys{}, err
	}
	const first = "n=,r=clientnonce"
	challenge, err := x.Challenge([]byte(header + first))
	if err != nil {
		return "", scram.Keys{}, err
	}
	final, keys, ok, err := x.Verify([]byte(c.final(first, string(challenge))))
	if err != nil || !ok {
		return "no", keys, err
	}
	if !strings.HasPrefix(string(final), "v=") {
		return "", keys, fmt.Errorf("final message %q", final)
	}
	return "yes", keys, nil
}

// No message of a client does more than fail.
func TestMalformedMessages(t *testing.T) {
	verifier, err := scram.NewVerifier("geheim")
	if err != nil {
		t.Fatal(err)
	}
	for _, first := range []string{"", "n", "n,", "n,,", "n,,n=", "n,,r=x", "n,,n=,r=", "n,,n=,r=\x01", "n,,n=\x00,r=x", "n,,n=,r=ä", "n,,m=x,n=,r=x", "p=,,n=,r=x"} {
		x, err := scram.Begin(verifier, scram.Plain, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.Challenge([]byte(first)); err == nil {
			t.Errorf("first message %q is taken", first)
		}
	}
	for _, final := range []string{"", "c=biws", "c=biws,r=", "c=biws,r=x,p=", "r=x,c=biws,p=AAAA", "c=biws,r=NONCE,p=AAAA", "c=biws,r=NONCE,p=!", "c=!,r=NONCE,p=AAAA", "c=,r=NONCE,p=AAAA", ",p="} {
		x, err := scram.Begin(verifier, scram.Plain, nil)
		if err != nil {
			t.Fatal(err)
		}
		challenge, err := x.Challenge([]byte("n,,n=,r=x"))
		if err != nil {
			t.Fatal(err)
		}
		nonce, _, _ := strings.Cut(string(challenge[2:]), ",")
		if _, _, ok, err := x.Verify([]byte(strings.ReplaceAll(final, "NONCE", nonce))); ok || err == nil {
			t.Errorf("final message %q: %v, %v, want an error", final, ok, err)
		}
	}
}

func TestVerifiers(t *testing.T) {
	made, err := scram.NewVerifier("pä\u00a0ss")
	if err != nil {
		t.Fatal(err)
	}
	read, err := scram.ParseVerifier(made.String())
	if err != nil || read.String() != made.String() {
		t.Fatalf("%v: %s is read as %s", err, made, read)
	}
	// SASLprep makes a plain space of the one that does not break.
	if got, _, err := converse(made, scram.Plain, nil, "n,,", client{"pä ss", "n,,", ""}); got != "yes" || err != nil {
		t.Errorf("prepared password: %s, %v", got, err)
	}
	for _, text := range []string{
		"", "x", "md5" + strings.Repeat("0", 32), "SCRAM-SHA-256$", "SCRAM-SHA-256$4096:c2FsdA==", "SCRAM-SHA-256$0:c2FsdA==$AAAA:AAAA",
		strings.Replace(made.String(), "4096", "-1", 1), strings.Replace(made.String(), "4096", "x", 1), made.String() + "AAAA", made.String()[:60],
	} {
		if _, err := scram.ParseVerifier(text); err == nil {
			t.Errorf("%q is read as a verifier", text)
		}
	}
	for text, want := range map[string]bool{
		made.String(): true, "md5" + strings.Repeat("af09", 8): true, "md5" + strings.Repeat("AF09", 8): false, "md5": false, "geheim": false, "SCRAM-SHA-256$x": false,
	} {
		if scram.IsStored(text) != want {
			t.Errorf("%q is stored as it is: %v, want %v", text, !want, want)
		}
	}
	mock := scram.Mock([]byte(strings.Repeat("s", 32)))
	for _, password := range []string{"", "geheim"} {
		if got, _, err := converse(mock, scram.Plain, nil, "n,,", client{password, "n,,", ""}); got != "no" || err != nil {
			t.Errorf("a role that does not exist: %s, %v", got, err)
		}
	}
}
