package embedded

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"github.com/tablewright/tablewright/k8s/internal/ownerfile"
)

// tokenBytes is the size of a bearer token before it is written in hex.
const tokenBytes = 32

// readOrMake returns a file's trimmed text if it is valid, else writes and
// returns a new one.
func readOrMake(path string, valid func(string) bool, fresh func() (string, error)) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	if s := strings.TrimSpace(string(text)); valid(s) {
		return s, nil
	}
	s, err := fresh()
	if err != nil {
		return "", err
	}
	return s, ownerfile.Write(path, []byte(s+"\n"))
}

// loadUID returns the identity of the control plane in dir. It belongs to the
// folder: a new folder is a new control plane, a copy of it is the same one.
func loadUID(dir string) (string, error) {
	valid := func(s string) bool { return uuid.Validate(s) == nil }
	fresh := func() (string, error) {
		id, err := uuid.NewRandom()
		if err != nil {
			return "", fmt.Errorf("make uid: %w", err)
		}
		return id.String(), nil
	}
	uid, err := readOrMake(filepath.Join(dir, "uid"), valid, fresh)
	if err != nil {
		return "", fmt.Errorf("identity of the control plane: %w", err)
	}
	return uid, nil
}

// tokens are the bearer tokens that the API server knows.
type tokens struct {
	admin, provisioner string
}

func loadTokens(dir string) (tokens, error) {
	admin, err := loadToken(filepath.Join(dir, "admin.token"))
	if err != nil {
		return tokens{}, fmt.Errorf("admin token: %w", err)
	}
	provisioner, err := loadToken(filepath.Join(dir, "provisioner.token"))
	if err != nil {
		return tokens{}, fmt.Errorf("provisioner token: %w", err)
	}
	if admin == provisioner {
		// a copied file would give every provisioner all rights
		return tokens{}, fmt.Errorf("admin.token and provisioner.token in %s are the same", dir)
	}
	return tokens{admin: admin, provisioner: provisioner}, nil
}

func loadToken(path string) (string, error) {
	valid := func(s string) bool {
		b, err := hex.DecodeString(s)
		return err == nil && len(b) == tokenBytes
	}
	fresh := func() (string, error) {
		b := make([]byte, tokenBytes)
		if _, err := rand.Read(b); err != nil {
			return "", fmt.Errorf("make token: %w", err)
		}
		return hex.EncodeToString(b), nil
	}
	return readOrMake(path, valid, fresh)
}
