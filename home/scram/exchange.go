package scram

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// The mechanisms.
const (
	Plain = "SCRAM-SHA-256"
	Plus  = "SCRAM-SHA-256-PLUS"
)

const (
	nonceBytes    = 18
	bindingPrefix = "p=tls-server-end-point,,"
)

// Exchange is one client's proof that it knows a password.
type Exchange struct {
	verifier Verifier
	binding  []byte // of the TLS connection, nil when it has none
	plus     bool   // the client chose channel binding

	header      string // gs2 header of the client
	clientFirst string // bare
	serverFirst string
	nonce       string
}

// Begin begins an exchange. mechanism is the client's choice, binding the tls-server-end-point hash of the
// connection, nil when channel binding was not offered.
func Begin(v Verifier, mechanism string, binding []byte) (*Exchange, error) {
	if mechanism != Plain && (mechanism != Plus || binding == nil) {
		return nil, protocolViolation("client selected an invalid SASL authentication mechanism")
	}
	return &Exchange{verifier: v, binding: binding, plus: mechanism == Plus}, nil
}

// Challenge takes client-first-message and returns server-first-message.
func (x *Exchange) Challenge(clientFirst []byte) ([]byte, error) {
	if bytes.IndexByte(clientFirst, 0) >= 0 {
		return nil, malformed("The message contains a null byte.")
	}
	bare, err := x.cutHeader(string(clientFirst))
	if err != nil {
		return nil, err
	}
	x.clientFirst = bare
	attributes := strings.Split(bare, ",")
	if strings.HasPrefix(bare, "m=") {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "client requires an unsupported SCRAM extension")
	}
	// The user name is the startup message's; the one here is ignored.
	if len(attributes) < 2 || !strings.HasPrefix(attributes[0], "n=") || !strings.HasPrefix(attributes[1], "r=") {
		return nil, malformed("The client's first message has no nonce.")
	}
	clientNonce := attributes[1][len("r="):]
	if clientNonce == "" || !isPrintable(clientNonce) {
		return nil, protocolViolation("non-printable characters in SCRAM nonce")
	}
	random := make([]byte, nonceBytes)
	if _, err := rand.Read(random); err != nil {
		return nil, fmt.Errorf("nonce: %w", err)
	}
	x.nonce = clientNonce + base64.StdEncoding.EncodeToString(random)
	x.serverFirst = fmt.Sprintf("r=%s,s=%s,i=%d", x.nonce, base64.StdEncoding.EncodeToString(x.verifier.Salt), x.verifier.Iterations)
	return []byte(x.serverFirst), nil
}

// cutHeader checks the flag of channel binding and returns what is behind the gs2 header.
func (x *Exchange) cutHeader(message string) (bare string, err error) {
	switch {
	case strings.HasPrefix(message, "n,,"), strings.HasPrefix(message, "y,,"):
		if x.plus {
			return "", malformed("The client selected SCRAM-SHA-256-PLUS, but the SCRAM message does not include channel binding data.")
		}
		if message[0] == 'y' && x.binding != nil {
			// Somebody between us has taken the offer of channel binding away.
			return "", sqlerr.New(sqlerr.InvalidAuthorization, "SCRAM channel binding negotiation error").
				WithDetail("The client supports SCRAM channel binding but thinks the server does not.  However, this server does support channel binding.")
		}
		x.header = message[:3]
	case strings.HasPrefix(message, "p="):
		if !x.plus {
			return "", malformed("The client selected SCRAM-SHA-256 without channel binding, but the SCRAM message includes channel binding data.")
		}
		if !strings.HasPrefix(message, bindingPrefix) {
			return "", sqlerr.New(sqlerr.ProtocolViolation, "unsupported SCRAM channel-binding type")
		}
		x.header = bindingPrefix
	case strings.HasPrefix(message, "n,a="), strings.HasPrefix(message, "y,a="):
		return "", sqlerr.New(sqlerr.FeatureNotSupported, "client uses authorization identity, but it is not supported")
	default:
		return "", malformed("Unexpected channel-binding flag.")
	}
	return message[len(x.header):], nil
}

// Keys are what the proof of a password reveals to the server: enough to log in elsewhere in the client's
// place, and not the password.
type Keys struct {
	ClientKey, ServerKey []byte
}

// Verify takes client-final-message. ok tells whether the client knows the password; then final is
// server-final-message. An error is one of the protocol.
func (x *Exchange) Verify(clientFinal []byte) (final []byte, keys Keys, ok bool, err error) {
	message := string(clientFinal)
	withoutProof, proofText, found := cutLast(message, ",p=")
	if !found {
		return nil, Keys{}, false, malformed("The client's final message has no proof.")
	}
	channel, nonce, found := strings.Cut(withoutProof, ",r=")
	channel, hasChannel := strings.CutPrefix(channel, "c=")
	if !found || !hasChannel {
		return nil, Keys{}, false, malformed("The client's final message has no channel binding or nonce.")
	}
	if err := x.checkBinding(channel); err != nil {
		return nil, Keys{}, false, err
	}
	nonce, _, _ = strings.Cut(nonce, ",") // extensions are ignored
	if subtle.ConstantTimeCompare([]byte(nonce), []byte(x.nonce)) != 1 {
		return nil, Keys{}, false, protocolViolation("invalid SCRAM response").WithDetail("Nonce does not match.")
	}
	proof, err := base64.StdEncoding.DecodeString(proofText)
	if err != nil || len(proof) != sha256.Size {
		return nil, Keys{}, false, malformed("Malformed proof in client-final-message.")
	}
	exchange := x.clientFirst + "," + x.serverFirst + "," + withoutProof
	clientKey := make([]byte, sha256.Size)
	subtle.XORBytes(clientKey, proof, sign(x.verifier.StoredKey, exchange))
	stored := sha256.Sum256(clientKey)
	if subtle.ConstantTimeCompare(stored[:], x.verifier.StoredKey) != 1 {
		return nil, Keys{}, false, nil
	}
	signature := base64.StdEncoding.EncodeToString(sign(x.verifier.ServerKey, exchange))
	return []byte("v=" + signature), Keys{ClientKey: clientKey, ServerKey: x.verifier.ServerKey}, true, nil
}

// checkBinding compares what the client bound its proof to with this connection.
func (x *Exchange) checkBinding(channel string) error {
	want := []byte(x.header)
	if x.plus {
		want = slices.Concat(want, x.binding)
	}
	got, err := base64.StdEncoding.DecodeString(channel)
	switch {
	case err == nil && subtle.ConstantTimeCompare(got, want) == 1:
		return nil
	case x.plus:
		return sqlerr.New(sqlerr.InvalidAuthorization, "SCRAM channel binding check failed")
	default:
		return protocolViolation("unexpected SCRAM channel-binding attribute in client-final-message")
	}
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func isPrintable(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < '!' || r > '~' }) < 0
}

func protocolViolation(message string) *sqlerr.Error {
	return sqlerr.New(sqlerr.ProtocolViolation, "%s", message)
}

func malformed(detail string) *sqlerr.Error {
	return protocolViolation("malformed SCRAM message").WithDetail("%s", detail)
}
