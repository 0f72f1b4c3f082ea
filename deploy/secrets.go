package deploy

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

const (
	// secretBytesMax bounds one secret's value, in bytes.
	secretBytesMax = 64 << 10
	// SecretVariablePrefix begins the names of the environment's variables that `env:` may name.
	SecretVariablePrefix = "TABLEWRIGHT_SECRET_"
)

// SecretStore keeps secrets: a namespace, a name, and values by key.
type SecretStore interface {
	Put(ctx context.Context, namespace, name string, data map[string][]byte) error
	Get(ctx context.Context, namespace, name, key string) ([]byte, error)
	Delete(ctx context.Context, namespace, name string) error
}

// Secrets resolves references to secrets, and takes literal ones in. No error of it holds a value.
type Secrets struct {
	Store     SecretStore
	Namespace string
	// Folders are those inside which `file:` may point, after symbolic links are resolved.
	Folders []string
	// Env looks a variable of the environment up.
	Env func(name string) (string, bool)
}

// Resolve turns an option into its value. It reads afresh each time, so that a secret that was changed is
// used by the next connection.
func (s Secrets) Resolve(ctx context.Context, o catalog.Option) (string, error) {
	switch {
	case o.SecretRef != nil:
		value, err := s.Store.Get(ctx, s.Namespace, o.SecretRef.Name, o.SecretRef.Key)
		if err != nil {
			return "", unresolved(o, "secret:"+o.SecretRef.Name+"/"+o.SecretRef.Key, err)
		}
		return string(value), nil
	case strings.HasPrefix(o.Reference, "env:"):
		return s.variable(o, strings.TrimPrefix(o.Reference, "env:"))
	case strings.HasPrefix(o.Reference, "file:"):
		return s.file(o, strings.TrimPrefix(o.Reference, "file:"))
	default:
		return o.Value, nil
	}
}

func unresolved(o catalog.Option, reference string, cause error) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "parameter \"%s\": cannot resolve \"%s\"", o.Name, reference).WithCause(cause)
}

func (s Secrets) variable(o catalog.Option, name string) (string, error) {
	if !strings.HasPrefix(name, SecretVariablePrefix) {
		return "", unresolved(o, o.Reference, nil).WithHint("Variables that may be named begin with %s.", SecretVariablePrefix)
	}
	value, ok := s.Env(name)
	if !ok {
		return "", unresolved(o, o.Reference, nil).WithHint("The gateway's environment has no such variable.")
	}
	return value, nil
}

func (s Secrets) file(o catalog.Option, path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || !filepath.IsAbs(path) {
		return "", unresolved(o, o.Reference, err)
	}
	if !inside(real, s.Folders) {
		return "", unresolved(o, o.Reference, nil).WithHint("The file is in none of the folders that catalogs.allow lists.")
	}
	f, err := os.Open(real)
	if err != nil {
		return "", unresolved(o, o.Reference, err)
	}
	defer func() { _ = f.Close() }() // only read from
	value, err := io.ReadAll(io.LimitReader(f, secretBytesMax+1))
	if err != nil || len(value) > secretBytesMax {
		return "", unresolved(o, o.Reference, errors.Join(err, errors.New("unreadable or too long")))
	}
	return strings.TrimRight(string(value), "\r\n"), nil
}

// inside tells whether a resolved path is in one of the folders.
func inside(path string, folders []string) bool {
	for _, folder := range folders {
		real, err := filepath.EvalSymlinks(folder)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(real, path); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			return true
		}
	}
	return false
}

// Save puts literal secrets into the store, those of one name together.
func (s Secrets) Save(ctx context.Context, secrets []plan.Secret) error {
	byName := map[string]map[string][]byte{}
	for _, secret := range secrets {
		if byName[secret.Ref.Name] == nil {
			byName[secret.Ref.Name] = map[string][]byte{}
		}
		byName[secret.Ref.Name][secret.Ref.Key] = []byte(secret.Value)
	}
	for name, data := range byName {
		if err := s.Store.Put(ctx, s.Namespace, name, data); err != nil {
			return sqlerr.Wrap(err, sqlerr.IOError, "could not store a secret")
		}
	}
	return nil
}

// Forget removes secrets that nothing refers to any more.
func (s Secrets) Forget(ctx context.Context, refs []catalog.SecretKeyRef) error {
	var errs []error
	for _, ref := range refs {
		errs = append(errs, s.Store.Delete(ctx, s.Namespace, ref.Name))
	}
	return errors.Join(errs...)
}
