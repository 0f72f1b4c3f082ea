package embedded_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/k8s/apply"
	"github.com/tablewright/tablewright/k8s/embedded"
	"github.com/tablewright/tablewright/k8s/embedded/embeddedtest"
)

const jobID = "0190f5c2-a7b4-7c3e-9d1f-2a3b4c5d6e7f"

func TestRestartKeepsEverything(t *testing.T) {
	t.Parallel()
	o := embedded.Options{Dir: t.TempDir()}
	first := embeddedtest.StartWith(t, o)
	before := identityOf(t, first)
	createJob(t, first.RESTConfig())
	embeddedtest.Stop(t, first)
	select {
	case <-first.Done():
	default:
		t.Fatalf("Done is open after Stop")
	}
	if err := first.Ready(t.Context()); err == nil {
		t.Fatalf("a stopped server says that it is ready")
	}

	second := embeddedtest.StartWith(t, o)
	if diff := cmp.Diff(before, identityOf(t, second)); diff != "" {
		t.Fatalf("after a restart (-before +after):\n%s", diff)
	}
	wantJob(t, second.RESTConfig())
}

// identityOf is what clients hold on to over a restart.
func identityOf(t *testing.T, s *embedded.Server) map[string]string {
	t.Helper()
	cfg := s.RESTConfig()
	id := map[string]string{"uid": s.UID(), "host": cfg.Host, "token": cfg.BearerToken, "ca": string(cfg.CAData)}
	for _, path := range []string{s.KubeconfigPath(), s.ProvisionerKubeconfigPath()} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("read kubeconfig: %v", err)
		}
		id[filepath.Base(path)] = string(text)
	}
	return id
}

func TestKilledProcessLosesNothingAndHoldsTheFolderUntilThen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, first := startChild(t, dir)
	if first != "started" {
		t.Fatalf("the child says %q", first)
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", filepath.Join(dir, "kubeconfig"))
	if err != nil {
		t.Fatalf("kubeconfig: %v", err)
	}
	createJob(t, cfg)

	_, err = embedded.Start(t.Context(), embedded.Options{Dir: dir})
	var locked *embedded.LockedError
	if !errors.As(err, &locked) || locked.PID != c.Process.Pid {
		t.Fatalf("a second start beside process %d: %v", c.Process.Pid, err)
	}
	if want := "is in use by process " + strconv.Itoa(c.Process.Pid); !strings.Contains(err.Error(), want) {
		t.Fatalf("the error is %q, want %q in it", err, want)
	}
	wantJob(t, cfg) // the refused start has not disturbed the first

	if err := c.Process.Kill(); err != nil {
		t.Fatalf("kill: %v", err)
	}
	_ = c.Wait()
	s := embeddedtest.StartWith(t, embedded.Options{Dir: dir})
	wantJob(t, s.RESTConfig())
	if s.RESTConfig().Host != cfg.Host {
		t.Fatalf("the address changed from %s to %s", cfg.Host, s.RESTConfig().Host)
	}
}

// A start, some work and a stop are no news: nothing is logged above the level of
// details, by etcd and the Kubernetes libraries neither.
func TestSilentWhenHealthy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, reason := range []string{"a new folder", "a used one"} {
		c, line := startChild(t, dir)
		if line != "started" {
			t.Fatalf("%s: the child says %q", reason, line)
		}
		cfg, err := clientcmd.BuildConfigFromFlags("", filepath.Join(dir, "kubeconfig"))
		if err != nil {
			t.Fatalf("kubeconfig: %v", err)
		}
		if reason == "a new folder" {
			createJob(t, cfg)
		}
		watch(t, cfg)
		_ = c.stdin.Close()
		if err := c.Wait(); err != nil || c.stderr.Len() > 0 {
			t.Fatalf("%s: the child ends with %v and says\n%s", reason, err, c.stderr)
		}
	}
}

// Data that etcd can not read must be an error, not the end of the process.
func TestDamagedDataIsAnError(t *testing.T) {
	t.Parallel()
	damages := map[string]string{
		"database":  "etcd/member/snap/db",
		"write log": "etcd/member/wal/0000000000000000-0000000000000000.wal",
	}
	dir := t.TempDir()
	embeddedtest.Stop(t, embeddedtest.StartWith(t, embedded.Options{Dir: dir}))
	for name, file := range damages {
		t.Run(name, func(t *testing.T) {
			damaged := filepath.Join(t.TempDir(), "damaged")
			if err := os.CopyFS(damaged, os.DirFS(dir)); err != nil {
				t.Fatalf("copy: %v", err)
			}
			path := filepath.Join(damaged, file)
			if err := os.WriteFile(path, bytes.Repeat([]byte("damaged!"), 8192), 0o600); err != nil {
				t.Fatalf("damage: %v", err)
			}
			c, line := startChild(t, damaged)
			_ = c.Wait()
			if !strings.HasPrefix(line, "error: embedded control plane: start etcd: ") || c.ProcessState.ExitCode() != 1 {
				t.Fatalf("the child says %q and ends with %v", line, c.ProcessState)
			}
		})
	}
}

// A start that is called off ends what it began, and the folder can be used.
func TestStartThatIsCalledOff(t *testing.T) {
	t.Parallel()
	o := embedded.Options{Dir: t.TempDir()}
	for _, after := range []time.Duration{0, 200 * time.Millisecond, 400 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		s, err := embedded.Start(ctx, o)
		cancel()
		if err == nil { // it was fast enough
			embeddedtest.Stop(t, s)
		} else if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("start called off after %s: %v", after, err)
		}
	}
	s := embeddedtest.StartWith(t, o)
	if err := s.Ready(t.Context()); err != nil {
		t.Fatalf("after starts that were called off: %v", err)
	}
}

// The folder's name is too long for a socket in it.
func TestStopIsIdempotentAndBounded(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	s := embeddedtest.StartWith(t, embedded.Options{Dir: dir})
	watch(t, s.RESTConfig()) // an open watch must not hold it up
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Stop(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("Stop with a cancelled context: %v", err)
	}
	begin := time.Now()
	for range 2 {
		embeddedtest.Stop(t, s)
	}
	if took := time.Since(begin); took > 15*time.Second {
		t.Fatalf("Stop took %s", took)
	}
}

func TestPortOfTheLastRunIsTaken(t *testing.T) {
	t.Parallel()
	o := embedded.Options{Dir: t.TempDir()}
	first := embeddedtest.StartWith(t, o)
	old := hostOf(t, first.RESTConfig())
	embeddedtest.Stop(t, first)
	ln, err := net.Listen("tcp", old)
	if err != nil {
		t.Fatalf("take the port: %v", err)
	}
	defer ln.Close()

	o.Port = ln.Addr().(*net.TCPAddr).Port
	if _, err := embedded.Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Fatalf("start on a taken port that was asked for: %v", err)
	}
	o.Port = 0
	second := embeddedtest.StartWith(t, o)
	if got := hostOf(t, second.RESTConfig()); got == old {
		t.Fatalf("it serves on %s, which is taken", got)
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", second.KubeconfigPath())
	if err != nil || cfg.Host != second.RESTConfig().Host {
		t.Fatalf("the kubeconfig says %v (%v), the server is at %s", cfg, err, second.RESTConfig().Host)
	}
}

// A full control plane says so, and is writable again after a start once there
// is room.
func TestQuota(t *testing.T) {
	t.Parallel()
	o := embedded.Options{Dir: t.TempDir(), QuotaBytes: 16 << 20}
	s := embeddedtest.StartWith(t, o)
	c := newClient(t, s.RESTConfig())
	var err error
	for i := 0; err == nil; i++ {
		if i > 100 {
			t.Fatalf("100 objects of 1 MB fit into 16 MB")
		}
		job := newJob("big-" + strconv.Itoa(i))
		for range 120 {
			job.Spec.Table.Constraints = append(job.Spec.Table.Constraints, v1alpha1.Constraint{Definition: strings.Repeat("x", 8192)})
		}
		err = c.Create(t.Context(), job)
	}
	if err := s.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "quota") {
		t.Fatalf("Ready when it is full: %v", err)
	}
	if err := c.DeleteAllOf(t.Context(), &v1alpha1.TableProvisionJob{}, client.InNamespace("tenant-a")); err != nil {
		t.Fatalf("delete when it is full: %v", err)
	}
	embeddedtest.Stop(t, s)

	s = embeddedtest.StartWith(t, o)
	if err := s.Ready(t.Context()); err != nil {
		t.Fatalf("Ready after room was made: %v", err)
	}
	createJob(t, s.RESTConfig())
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatalf("make file: %v", err)
	}
	long := filepath.Join(t.TempDir(), strings.Repeat("r", 100))
	cases := map[string]struct {
		o    embedded.Options
		want string
	}{
		"no folder":           {embedded.Options{}, "no folder given"},
		"a file as folder":    {embedded.Options{Dir: file}, "not a directory"},
		"negative port":       {embedded.Options{Dir: t.TempDir(), Port: -1}, "port -1"},
		"port out of range":   {embedded.Options{Dir: t.TempDir(), Port: 65536}, "port 65536"},
		"quota too small":     {embedded.Options{Dir: t.TempDir(), QuotaBytes: 1}, "quota of 1 bytes"},
		"long runtime folder": {embedded.Options{Dir: t.TempDir(), RuntimeDir: long}, "choose a shorter runtime folder"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s, err := embedded.Start(t.Context(), c.o)
			if err == nil {
				embeddedtest.Stop(t, s)
				t.Fatalf("it started")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Fatalf("the error is %q, want %q in it", err, c.want)
			}
		})
	}
}

// child is a control plane in another process.
type child struct {
	*exec.Cmd
	stdin  io.Closer
	stderr *bytes.Buffer // complete after Wait
}

// startChild starts a child and returns the first line that it prints.
func startChild(t *testing.T, dir string) (child, string) {
	t.Helper()
	c := child{Cmd: exec.Command(os.Args[0]), stderr: &bytes.Buffer{}}
	c.Env = append(os.Environ(), envChild+"="+dir)
	c.Stderr = c.stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatalf("child: %v", err)
	}
	if c.stdin, err = c.StdinPipe(); err != nil {
		t.Fatalf("child: %v", err)
	}
	if err := c.Start(); err != nil {
		t.Fatalf("child: %v", err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the child said %q: %v (%v)\n%s", line, err, c.Wait(), c.stderr)
	}
	return c, strings.TrimSpace(line)
}

func newClient(t *testing.T, cfg *rest.Config) client.WithWatch {
	t.Helper()
	c, err := apply.NewClient(cfg)
	if err != nil {
		t.Fatalf("client: %v", err)
	}
	return c
}

func newJob(name string) *v1alpha1.TableProvisionJob {
	return &v1alpha1.TableProvisionJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: "tenant-a", Name: name},
		Spec: v1alpha1.TableProvisionJobSpec{
			JobID:       jobID,
			Operation:   v1alpha1.OperationCreate,
			Provisioner: v1alpha1.BuiltinProvisioner("iceberg"),
			DisplayName: "lake.sales.orders",
			Catalog:     v1alpha1.CatalogRef{Name: "lake", Type: "iceberg"},
			Table:       v1alpha1.TableSpec{Path: []string{"sales", "orders"}},
			Deadline:    metav1.Duration{Duration: 30 * time.Minute},
		},
	}
}

func jobName() string { return v1alpha1.JobName([]string{"sales", "orders"}, jobID) }

func createJob(t *testing.T, cfg *rest.Config) {
	t.Helper()
	if err := newClient(t, cfg).Create(t.Context(), newJob(jobName())); err != nil {
		t.Fatalf("create job: %v", err)
	}
}

func wantJob(t *testing.T, cfg *rest.Config) {
	t.Helper()
	got := &v1alpha1.TableProvisionJob{}
	err := newClient(t, cfg).Get(t.Context(), client.ObjectKey{Namespace: "tenant-a", Name: jobName()}, got)
	if err != nil || got.Spec.JobID != jobID {
		t.Fatalf("get job: %v, %v", got.Spec, err)
	}
}

// watch opens a watch and reads it to its end, as an informer does.
func watch(t *testing.T, cfg *rest.Config) {
	t.Helper()
	w, err := newClient(t, cfg).Watch(t.Context(), &v1alpha1.TableProvisionJobList{}, client.InNamespace("tenant-a"))
	if err != nil {
		t.Fatalf("watch: %v", err)
	}
	go func() {
		for range w.ResultChan() {
		}
	}()
	t.Cleanup(w.Stop)
}

func hostOf(t *testing.T, cfg *rest.Config) string {
	t.Helper()
	u, err := url.Parse(cfg.Host)
	if err != nil {
		t.Fatalf("address %q: %v", cfg.Host, err)
	}
	return u.Host
}
