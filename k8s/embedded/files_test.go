package embedded

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestServingCertIsKeptUntilItIsOld(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "certs")
	now := time.Now()
	first := mustCert(t, dir, now)
	if again := mustCert(t, dir, now.Add(270*24*time.Hour)); string(again.chain) != string(first.chain) {
		t.Fatalf("a certificate with three months left was replaced")
	}
	later := mustCert(t, dir, now.Add(300*24*time.Hour))
	if string(later.chain) == string(first.chain) {
		t.Fatalf("a certificate with two months left was kept")
	}
	if again := mustCert(t, dir, now); string(again.chain) != string(later.chain) {
		t.Fatalf("the new certificate was not kept")
	}
}

func TestServingCertIsMadeAnewWhenDamaged(t *testing.T) {
	t.Parallel()
	damages := map[string]func(c servingCert) error{
		"no key":           func(c servingCert) error { return os.Remove(c.keyFile) },
		"no certificate":   func(c servingCert) error { return os.Remove(c.certFile) },
		"empty":            func(c servingCert) error { return os.WriteFile(c.certFile, nil, 0o600) },
		"cut":              func(c servingCert) error { return os.Truncate(c.certFile, 500) },
		"key of another":   func(c servingCert) error { return copyKeyOfAnother(t, c) },
		"not even a chain": func(c servingCert) error { return os.WriteFile(c.certFile, []byte("hello"), 0o600) },
	}
	whole := t.TempDir()
	old := mustCert(t, whole, time.Now())
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "certs")
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatalf("copy: %v", err)
			}
			if err := damage(mustCert(t, dir, time.Now())); err != nil {
				t.Fatalf("damage: %v", err)
			}
			fresh := mustCert(t, dir, time.Now())
			if string(fresh.chain) == string(old.chain) {
				t.Fatalf("the damaged certificate was kept")
			}
			if again := mustCert(t, dir, time.Now()); string(again.chain) != string(fresh.chain) {
				t.Fatalf("the new certificate was not kept")
			}
		})
	}
}

func copyKeyOfAnother(t *testing.T, c servingCert) error {
	other := mustCert(t, t.TempDir(), time.Now())
	key, err := os.ReadFile(other.keyFile)
	if err != nil {
		return err
	}
	return os.WriteFile(c.keyFile, key, 0o600)
}

func mustCert(t *testing.T, dir string, now time.Time) servingCert {
	t.Helper()
	c, err := loadServingCert(dir, now)
	if err != nil {
		t.Fatalf("loadServingCert: %v", err)
	}
	return c
}

func TestTokens(t *testing.T) {
	dir := t.TempDir()
	first, err := loadTokens(dir)
	if err != nil || first.admin == first.provisioner || len(first.admin) != 2*tokenBytes {
		t.Fatalf("loadTokens: %v, %v", first, err)
	}
	again, err := loadTokens(dir)
	if err != nil || again != first {
		t.Fatalf("loadTokens again: %v, %v; want %v", again, err, first)
	}
	for _, damaged := range []string{"", "\n", "short", strings.Repeat("g", 64), strings.Repeat("0", 66)} {
		path := filepath.Join(dir, "admin.token")
		if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
			t.Fatalf("damage: %v", err)
		}
		got, err := loadTokens(dir)
		if err != nil || got.admin == damaged || len(got.admin) != 2*tokenBytes || got.provisioner != first.provisioner {
			t.Fatalf("loadTokens after %q: %v, %v", damaged, got, err)
		}
	}
	same := []byte(first.provisioner)
	if err := os.WriteFile(filepath.Join(dir, "admin.token"), same, 0o600); err != nil {
		t.Fatalf("write: %v", err)
	}
	if _, err := loadTokens(dir); err == nil {
		t.Fatalf("one token for both was taken")
	}
}

func TestUIDIsKept(t *testing.T) {
	dir := t.TempDir()
	first, err := loadUID(dir)
	if err != nil {
		t.Fatalf("loadUID: %v", err)
	}
	if again, err := loadUID(dir); err != nil || again != first {
		t.Fatalf("loadUID again: %q, %v; want %q", again, err, first)
	}
	if other, err := loadUID(t.TempDir()); err != nil || other == first {
		t.Fatalf("loadUID of another folder: %q, %v", other, err)
	}
}

// Somebody else's link in a shared temporary folder must not be followed.
func TestSocketFolderIsNoLink(t *testing.T) {
	link := filepath.Join(t.TempDir(), "run")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatalf("link: %v", err)
	}
	if path, err := socketPath(Options{Dir: t.TempDir(), RuntimeDir: link}); err == nil {
		t.Fatalf("socketPath took a link: %s", path)
	}
}

func TestReadPort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "port")
	for text, want := range map[string]int{"4711\n": 4711, "": 0, "x": 0, "-1": 0, "70000": 0} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatalf("write: %v", err)
		}
		if got := readPort(path); got != want {
			t.Errorf("readPort of %q = %d, want %d", text, got, want)
		}
	}
	if got := readPort(path + "x"); got != 0 {
		t.Errorf("readPort without a file = %d", got)
	}
}
