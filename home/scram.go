package home

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// ScramKeys are what a SCRAM-SHA-256 server learns of a client that proved its password: enough to log in
// at another server that has the same verifier, and not the password.
type ScramKeys struct {
	ClientKey []byte // from the client's proof
	ServerKey []byte // of the verifier
}

const scramMechanism = "SCRAM-SHA-256"

// authenticator answers the authentication requests of one login.
type authenticator struct {
	conn *Conn
	keys *ScramKeys
	done bool // the server said that the login is accepted

	nonce       string
	clientFirst string
	serverSign  []byte // expected
}

// Authentication requests of the protocol.
const (
	authOK           = 0
	authSASL         = 10
	authSASLContinue = 11
	authSASLFinal    = 12
)

func (a *authenticator) answer(body []byte) error {
	if len(body) < 4 {
		return errors.New("authentication request is too short")
	}
	kind, data := binary.BigEndian.Uint32(body), body[4:]
	switch {
	case kind == authOK:
		if a.nonce != "" && a.serverSign != nil {
			return errors.New("the home database did not prove that it knows the password")
		}
		a.done = true
		return nil
	case kind == authSASL && a.keys != nil:
		return a.first(data)
	case kind == authSASLContinue && a.nonce != "":
		return a.proof(string(data))
	case kind == authSASLFinal && a.serverSign != nil:
		return a.verify(string(data))
	case kind == authSASL:
		return fatal(sqlerr.InvalidPassword, "the home database asks for a password that the gateway does not have")
	default:
		return fatal(sqlerr.InvalidPassword,
			fmt.Sprintf("the home database asks for authentication method %d, only SCRAM-SHA-256 is supported", kind))
	}
}

// first sends client-first-message (RFC 5802). The user name stays empty, PostgreSQL takes the startup
// message's.
func (a *authenticator) first(mechanisms []byte) error {
	offered := strings.Split(strings.Trim(string(mechanisms), "\x00"), "\x00")
	found := false
	for _, m := range offered {
		found = found || m == scramMechanism
	}
	if !found {
		return fatal(sqlerr.InvalidPassword, "the home database does not offer SCRAM-SHA-256")
	}
	random := make([]byte, 18)
	if _, err := rand.Read(random); err != nil {
		return fmt.Errorf("nonce: %w", err)
	}
	a.nonce = base64.StdEncoding.EncodeToString(random)
	a.clientFirst = "n=,r=" + a.nonce
	return a.conn.send(&pgproto3.SASLInitialResponse{AuthMechanism: scramMechanism, Data: []byte("n,," + a.clientFirst)})
}

// proof sends client-final-message: ClientKey masked with a signature of the whole exchange.
func (a *authenticator) proof(serverFirst string) error {
	nonce, _, ok := strings.Cut(strings.TrimPrefix(serverFirst, "r="), ",")
	if !ok || !strings.HasPrefix(serverFirst, "r=") || !strings.HasPrefix(nonce, a.nonce) || nonce == a.nonce {
		return errors.New("malformed SCRAM challenge of the home database")
	}
	final := "c=biws,r=" + nonce
	exchange := a.clientFirst + "," + serverFirst + "," + final
	stored := sha256.Sum256(a.keys.ClientKey)
	signature := sign(stored[:], exchange)
	if len(a.keys.ClientKey) != len(signature) {
		return errors.New("a SCRAM client key has 32 bytes")
	}
	masked := make([]byte, len(signature))
	subtle.XORBytes(masked, a.keys.ClientKey, signature)
	a.serverSign = sign(a.keys.ServerKey, exchange)
	return a.conn.send(&pgproto3.SASLResponse{Data: []byte(final + ",p=" + base64.StdEncoding.EncodeToString(masked))})
}

// verify checks that the server knows the verifier too.
func (a *authenticator) verify(serverFinal string) error {
	got, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(serverFinal, "v="))
	if err != nil || !hmac.Equal(got, a.serverSign) {
		return errors.New("the home database did not prove that it knows the password")
	}
	a.serverSign = nil
	return nil
}

func sign(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
