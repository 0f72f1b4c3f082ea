// Package scram is the server's side of SCRAM-SHA-256 (RFC 5802, RFC 7677) as PostgreSQL speaks it, with
// and without channel binding. It works on the verifiers that PostgreSQL keeps of passwords, and hands out
// the keys with which the gateway can log in where the same verifier is kept: no library offers that.
package scram

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/xdg-go/stringprep"
)

const (
	// defaultIterations and saltBytes are PostgreSQL's own defaults.
	defaultIterations = 4096
	saltBytes         = 16
	verifierPrefix    = "SCRAM-SHA-256$"
)

// Verifier is what a server keeps of a password.
type Verifier struct {
	Iterations int
	Salt       []byte
	StoredKey  []byte
	ServerKey  []byte
}

var errNoVerifier = errors.New("no SCRAM-SHA-256 verifier")

// ParseVerifier reads the form in which PostgreSQL stores a verifier. Anything else, an md5 hash or nothing
// at all, is an error.
func ParseVerifier(text string) (Verifier, error) {
	rest, ok := strings.CutPrefix(text, verifierPrefix)
	if !ok {
		return Verifier{}, errNoVerifier
	}
	params, keys, ok := strings.Cut(rest, "$")
	iterations, salt, ok2 := strings.Cut(params, ":")
	stored, server, ok3 := strings.Cut(keys, ":")
	if !ok || !ok2 || !ok3 {
		return Verifier{}, errNoVerifier
	}
	var v Verifier
	var errs [4]error
	v.Iterations, errs[0] = strconv.Atoi(iterations)
	v.Salt, errs[1] = base64.StdEncoding.DecodeString(salt)
	v.StoredKey, errs[2] = base64.StdEncoding.DecodeString(stored)
	v.ServerKey, errs[3] = base64.StdEncoding.DecodeString(server)
	if errors.Join(errs[:]...) != nil || v.Iterations < 1 || len(v.Salt) == 0 ||
		len(v.StoredKey) != sha256.Size || len(v.ServerKey) != sha256.Size {
		return Verifier{}, errNoVerifier
	}
	return v, nil
}

// String is the form in which PostgreSQL stores a verifier.
func (v Verifier) String() string {
	encode := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("%s%d:%s$%s:%s", verifierPrefix, v.Iterations, encode(v.Salt), encode(v.StoredKey), encode(v.ServerKey))
}

// NewVerifier makes the verifier of a password, with a fresh salt.
func NewVerifier(password string) (Verifier, error) {
	salt := make([]byte, saltBytes)
	if _, err := rand.Read(salt); err != nil {
		return Verifier{}, fmt.Errorf("salt: %w", err)
	}
	salted, err := pbkdf2.Key(sha256.New, prepare(password), salt, defaultIterations, sha256.Size)
	if err != nil {
		return Verifier{}, fmt.Errorf("verifier: %w", err)
	}
	stored := sha256.Sum256(sign(salted, "Client Key"))
	return Verifier{Iterations: defaultIterations, Salt: salt, StoredKey: stored[:], ServerKey: sign(salted, "Server Key")}, nil
}

// Mock is the verifier of a role that has none, or does not exist: it looks like any other, is the same each
// time, and no password fits it. salt must not be known to clients beforehand.
func Mock(salt []byte) Verifier {
	return Verifier{Iterations: defaultIterations, Salt: salt[:saltBytes]}
}

// IsStored tells whether the text given as a password is stored as it is, because it is a verifier or an md5
// hash already.
func IsStored(password string) bool {
	if _, err := ParseVerifier(password); err == nil {
		return true
	}
	hash, ok := strings.CutPrefix(password, "md5")
	return ok && len(hash) == 32 && strings.Trim(hash, "0123456789abcdef") == ""
}

// prepare is SASLprep; a password that it refuses is used as it is, as PostgreSQL does.
func prepare(password string) string {
	if prepared, err := stringprep.SASLprep.Prepare(password); err == nil && prepared != "" {
		return prepared
	}
	return password
}

func sign(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
