package secret

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"k8s.io/apimachinery/pkg/util/validation"
)

var (
	// ErrNotFound says that there is no such secret, or no such key in it.
	ErrNotFound = errors.New("secret not found")
	// ErrInvalid says that a name, a key or the size of the data is not allowed.
	ErrInvalid = errors.New("invalid secret")
	// ErrForeign says that a Secret of that name belongs to somebody else.
	ErrForeign = errors.New("secret is not managed by Tablewright")
)

// Store keeps secrets: each is a namespace, a name and values by key. No error
// ever holds a value.
type Store interface {
	// Put replaces all of a secret's keys at once.
	Put(ctx context.Context, namespace, name string, data map[string][]byte) error
	// Get returns one value; ErrNotFound if the secret or the key is absent.
	Get(ctx context.Context, namespace, name, key string) ([]byte, error)
	// Delete removes a secret; an absent one is success.
	Delete(ctx context.Context, namespace, name string) error
}

const (
	// sizeMax bounds a secret's values together, in bytes, as core/v1 does.
	sizeMax = 1 << 20
	keyMax  = 253
)

// keyPattern is what core/v1 and the CRD's secretKeyRef.key allow. It does allow
// dots, so checkKey refuses the keys that are paths.
var keyPattern = regexp.MustCompile(`^[-._a-zA-Z0-9]+$`)

// checkRef refuses what is no name in Kubernetes, and so all that could lead a
// path elsewhere: these names begin with a letter or digit and have no slash.
func checkRef(namespace, name string) error {
	if problems := validation.IsDNS1123Label(namespace); len(problems) > 0 {
		return fmt.Errorf("%w: namespace %q: %s", ErrInvalid, namespace, problems[0])
	}
	if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
		return fmt.Errorf("%w: name %q: %s", ErrInvalid, name, problems[0])
	}
	return nil
}

// checkKey refuses what core/v1 refuses, and all keys that begin with two dots:
// `..` leads out of the folder, and mounted volumes keep their own files so.
func checkKey(key string) error {
	if len(key) > keyMax || !keyPattern.MatchString(key) || key == "." || len(key) > 1 && key[:2] == ".." {
		return fmt.Errorf("%w: key %q", ErrInvalid, key)
	}
	return nil
}

func checkData(data map[string][]byte) error {
	size := 0
	for key, value := range data {
		if err := checkKey(key); err != nil {
			return err
		}
		size += len(value)
	}
	if size > sizeMax {
		return fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrInvalid, size, sizeMax)
	}
	return nil
}
