package secret_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/tablewright/tablewright/k8s/secret"
)

// implementations returns a fresh store of each kind.
func implementations(t *testing.T) map[string]secret.Store {
	t.Helper()
	dir, err := secret.NewDir(filepath.Join(t.TempDir(), "secrets"))
	if err != nil {
		t.Fatalf("NewDir: %v", err)
	}
	return map[string]secret.Store{"Dir": dir, "Cluster": secret.NewCluster(fakeClient(t))}
}

func fakeClient(t *testing.T, objs ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatalf("scheme: %v", err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objs...).Build()
}

func TestPutGetDelete(t *testing.T) {
	for name, s := range implementations(t) {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			mustPut(t, s, "tenant-a", "lake", map[string][]byte{"password": []byte("old"), "user": []byte("u")})
			mustPut(t, s, "tenant-a", "lake.eu", map[string][]byte{"password": []byte("other")})
			wantValue(t, s, "tenant-a", "lake", "password", "old")

			mustPut(t, s, "tenant-a", "lake", map[string][]byte{"password": []byte("new\x00\n"), "empty": {}})
			wantValue(t, s, "tenant-a", "lake", "password", "new\x00\n")
			wantValue(t, s, "tenant-a", "lake", "empty", "")
			wantNotFound(t, s, "tenant-a", "lake", "user") // a replaced secret keeps no old key
			wantNotFound(t, s, "tenant-b", "lake", "password")

			for range 2 { // deleting what is gone is success
				if err := s.Delete(ctx, "tenant-a", "lake"); err != nil {
					t.Fatalf("Delete: %v", err)
				}
			}
			if err := s.Delete(ctx, "nowhere", "lake"); err != nil {
				t.Fatalf("Delete in an absent namespace: %v", err)
			}
			wantNotFound(t, s, "tenant-a", "lake", "password")
			wantValue(t, s, "tenant-a", "lake.eu", "password", "other")
		})
	}
}

func TestInvalidNames(t *testing.T) {
	refs := map[string][2]string{
		"parent namespace":   {"..", "x"},
		"own folder":         {".", "x"},
		"empty namespace":    {"", "x"},
		"slash in namespace": {"a/b", "x"},
		"dot in namespace":   {"a.b", "x"},
		"parent name":        {"a", ".."},
		"path as name":       {"a", "../b"},
		"empty name":         {"a", ""},
		"absolute name":      {"a", "/etc"},
		"NUL in name":        {"a", "b\x00"},
		"backslash":          {"a", `b\c`},
		"upper case":         {"a", "B"},
		"long name":          {"a", strings.Repeat("b", 254)},
	}
	keys := map[string]string{
		"parent": "..", "own": ".", "empty": "", "path": "a/b", "absolute": "/a", "NUL": "a\x00",
		"volume's own": "..data", "newline": "a\n", "long": strings.Repeat("k", 254),
	}
	for name, s := range implementations(t) {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			for reason, r := range refs {
				_, err := s.Get(ctx, r[0], r[1], "k")
				wantInvalid(t, "Get, "+reason, err)
				wantInvalid(t, "Put, "+reason, s.Put(ctx, r[0], r[1], map[string][]byte{"k": nil}))
				wantInvalid(t, "Delete, "+reason, s.Delete(ctx, r[0], r[1]))
			}
			for reason, key := range keys {
				_, err := s.Get(ctx, "a", "b", key)
				wantInvalid(t, "Get, key "+reason, err)
				wantInvalid(t, "Put, key "+reason, s.Put(ctx, "a", "b", map[string][]byte{key: nil}))
			}
			wantInvalid(t, "Put, too big", s.Put(ctx, "a", "b", map[string][]byte{"k": make([]byte, 1<<20+1)}))
		})
	}
}

// The names are not case-folded or cut: what differs by a dot or a dash only is
// another secret.
func TestNamesAreDistinct(t *testing.T) {
	names := []string{"a.b", "a-b", "ab", "a.b.c"}
	for kind, s := range implementations(t) {
		t.Run(kind, func(t *testing.T) {
			for _, n := range names {
				mustPut(t, s, "ns", n, map[string][]byte{"k": []byte(n), ".k": []byte("dot " + n)})
			}
			for _, n := range names {
				wantValue(t, s, "ns", n, "k", n)
				wantValue(t, s, "ns", n, ".k", "dot "+n)
			}
		})
	}
}

func TestDirIsOwnerOnlyAndLaidOutAsAVolume(t *testing.T) {
	top := filepath.Join(t.TempDir(), "secrets")
	if err := os.Mkdir(top, 0o755); err != nil {
		t.Fatalf("make folder: %v", err)
	}
	s, err := secret.NewDir(top)
	if err != nil {
		t.Fatalf("NewDir: %v", err)
	}
	mustPut(t, s, "ns", "lake", map[string][]byte{"password": []byte("p")})
	mustPut(t, s, "ns", "lake", map[string][]byte{"password": []byte("q")})

	got, err := os.ReadFile(filepath.Join(top, "ns", "lake", "password"))
	if err != nil || string(got) != "q" {
		t.Fatalf("the file <dir>/<namespace>/<name>/<key> holds %q, %v; want q", got, err)
	}
	folders := 0
	err = filepath.WalkDir(top, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if strings.HasPrefix(e.Name(), "..") && e.IsDir() {
			folders++
		}
		if info.Mode()&os.ModeSymlink == 0 && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v, which others may use", path, info.Mode())
		}
		return nil
	})
	if err != nil || folders != 1 {
		t.Fatalf("%d folders of values are left after two puts (%v), want 1", folders, err)
	}
}

// Files that were laid down by hand, or mounted, are read too; links out of the
// folder are not followed.
func TestDirReadsForeignFiles(t *testing.T) {
	top := t.TempDir()
	outside := filepath.Join(t.TempDir(), "outside")
	folder := filepath.Join(top, "ns", "plain")
	for _, err := range []error{
		os.MkdirAll(folder, 0o755),
		os.WriteFile(filepath.Join(folder, "key"), []byte("by hand"), 0o600),
		os.WriteFile(outside, []byte("not yours"), 0o600),
		os.Symlink(outside, filepath.Join(folder, "escape")),
	} {
		if err != nil {
			t.Fatalf("prepare: %v", err)
		}
	}
	s := secret.OpenDir(top)
	wantValue(t, s, "ns", "plain", "key", "by hand")
	got, err := s.Get(t.Context(), "ns", "plain", "escape")
	if err == nil {
		t.Fatalf("Get followed a link out of the folder and read %q", got)
	}
}

// A reader beside a writer sees one value or the other, always whole.
func TestDirReadersSeeWholeValues(t *testing.T) {
	s, err := secret.NewDir(t.TempDir())
	if err != nil {
		t.Fatalf("NewDir: %v", err)
	}
	values := []string{strings.Repeat("a", 5000), strings.Repeat("b", 7000)}
	mustPut(t, s, "ns", "x", map[string][]byte{"k": []byte(values[0])})
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		defer close(stop)
		for i := range 50 {
			if err := s.Put(t.Context(), "ns", "x", map[string][]byte{"k": []byte(values[i%2])}); err != nil {
				t.Errorf("Put: %v", err)
				return
			}
		}
	})
	for running := true; running; {
		select {
		case <-stop:
			running = false
		default:
		}
		got, err := s.Get(t.Context(), "ns", "x", "k")
		if err != nil || string(got) != values[0] && string(got) != values[1] {
			t.Fatalf("Get beside Put: %d bytes, %v", len(got), err)
		}
	}
	wg.Wait()
}

func TestClusterLeavesForeignSecretsAlone(t *testing.T) {
	foreign := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "theirs"}, Data: map[string][]byte{"k": []byte("v")}}
	s := secret.NewCluster(fakeClient(t, foreign))
	wantValue(t, s, "ns", "theirs", "k", "v")
	if err := s.Put(t.Context(), "ns", "theirs", map[string][]byte{"k": []byte("w")}); !errors.Is(err, secret.ErrForeign) {
		t.Fatalf("Put over a foreign Secret: %v, want ErrForeign", err)
	}
	if err := s.Delete(t.Context(), "ns", "theirs"); !errors.Is(err, secret.ErrForeign) {
		t.Fatalf("Delete of a foreign Secret: %v, want ErrForeign", err)
	}
	wantValue(t, s, "ns", "theirs", "k", "v")
}

func TestErrorsNeverHoldValues(t *testing.T) {
	const value = "hunter2-hunter2"
	for name, s := range implementations(t) {
		t.Run(name, func(t *testing.T) {
			err := s.Put(t.Context(), "ns", "x", map[string][]byte{"bad/key": []byte(value)})
			if err == nil || strings.Contains(fmt.Sprintf("%+v", err), value) {
				t.Fatalf("error of Put: %v", err)
			}
		})
	}
}

func TestCancelledContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, err := secret.NewDir(t.TempDir())
	if err != nil {
		t.Fatalf("NewDir: %v", err)
	}
	if err := s.Put(ctx, "ns", "x", map[string][]byte{"k": nil}); !errors.Is(err, context.Canceled) {
		t.Fatalf("Put with a cancelled context: %v", err)
	}
}

func mustPut(t *testing.T, s secret.Store, namespace, name string, data map[string][]byte) {
	t.Helper()
	if err := s.Put(t.Context(), namespace, name, data); err != nil {
		t.Fatalf("Put %s/%s: %v", namespace, name, err)
	}
}

func wantValue(t *testing.T, s secret.Store, namespace, name, key, want string) {
	t.Helper()
	got, err := s.Get(t.Context(), namespace, name, key)
	if err != nil {
		t.Fatalf("Get %s/%s %s: %v", namespace, name, key, err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Fatalf("Get %s/%s %s (-want +got):\n%s", namespace, name, key, diff)
	}
}

func wantNotFound(t *testing.T, s secret.Store, namespace, name, key string) {
	t.Helper()
	if _, err := s.Get(t.Context(), namespace, name, key); !errors.Is(err, secret.ErrNotFound) {
		t.Fatalf("Get %s/%s %s: %v, want ErrNotFound", namespace, name, key, err)
	}
}

func wantInvalid(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, secret.ErrInvalid) {
		t.Errorf("%s: %v, want ErrInvalid", what, err)
	}
}
