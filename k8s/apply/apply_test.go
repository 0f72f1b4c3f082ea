package apply_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/k8s/apply"
	"github.com/tablewright/tablewright/k8s/crds"
	"github.com/tablewright/tablewright/k8s/embedded"
	"github.com/tablewright/tablewright/k8s/embedded/embeddedtest"
)

func TestMain(m *testing.M) {
	embedded.RouteKlog(logr.Discard())
	log.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

const jobID = "0190f5c2-a7b4-7c3e-9d1f-2a3b4c5d6e7f"

// TestEmbedded is about one server without core/v1, which its parts share.
func TestEmbedded(t *testing.T) {
	s := embeddedtest.Start(t)
	c, err := apply.NewClient(s.RESTConfig())
	if err != nil {
		t.Fatalf("client: %v", err)
	}
	t.Run("Object", func(t *testing.T) { checkObject(t, c) })
	t.Run("Object refuses another object of the name", func(t *testing.T) { checkUID(t, c) })
	t.Run("Status", func(t *testing.T) { checkStatus(t, c) })
	t.Run("EnsureNamespace", func(t *testing.T) {
		if err := apply.EnsureNamespace(t.Context(), s.RESTConfig(), "tenant-a"); err != nil {
			t.Fatalf("where there are no namespaces: %v", err)
		}
		for _, bad := range []string{"", "Tenant", "a.b", "-a", "a/b", strings.Repeat("a", 64)} {
			if err := apply.EnsureNamespace(t.Context(), s.RESTConfig(), bad); err == nil {
				t.Errorf("name %q was taken", bad)
			}
		}
	})
	t.Run("InstallCRDs", func(t *testing.T) { checkInstall(t, s.RESTConfig()) })
}

func newJob(name string) *v1alpha1.TableProvisionJob {
	return &v1alpha1.TableProvisionJob{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "tenant-a", Name: name,
			Labels:     map[string]string{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy, v1alpha1.LabelJobID: jobID},
			Finalizers: []string{v1alpha1.FinalizerRecord},
		},
		Spec: v1alpha1.TableProvisionJobSpec{
			JobID: jobID, Operation: v1alpha1.OperationCreate, Provisioner: v1alpha1.BuiltinProvisioner("iceberg"),
			Catalog:  v1alpha1.CatalogRef{Name: "lake", Type: "iceberg"},
			Table:    v1alpha1.TableSpec{Path: []string{"sales", name}},
			Deadline: metav1.Duration{Duration: time.Minute},
		},
	}
}

func checkObject(t *testing.T, c client.Client) {
	ctx := t.Context()
	job := newJob("object")
	if err := apply.Object(ctx, c, v1alpha1.FieldOwnerGateway, job); err != nil {
		t.Fatalf("create: %v", err)
	}
	if job.UID == "" || job.Spec.BackoffLimitOrDefault() != 6 || job.Generation != 1 {
		t.Fatalf("the object was not filled with the server's: %+v", job)
	}
	version := job.ResourceVersion

	same := newJob("object")
	if err := apply.Object(ctx, c, v1alpha1.FieldOwnerGateway, same); err != nil {
		t.Fatalf("apply the same: %v", err)
	}
	if same.ResourceVersion != version {
		t.Errorf("applying the same wrote: %s, then %s", version, same.ResourceVersion)
	}

	less := newJob("object")
	less.Finalizers, less.Spec.Cancel = nil, true
	delete(less.Labels, v1alpha1.LabelJobID)
	if err := apply.Object(ctx, c, v1alpha1.FieldOwnerGateway, less); err != nil {
		t.Fatalf("apply less: %v", err)
	}
	got := mustGet(t, c, "object")
	if diff := cmp.Diff(map[string]string{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy}, got.Labels); diff != "" || len(got.Finalizers) > 0 || !got.Spec.Cancel {
		t.Fatalf("what was left out is still there: %v %v %v", got.Labels, got.Finalizers, got.Spec.Cancel)
	}
}

func checkUID(t *testing.T, c client.Client) {
	ctx := t.Context()
	job := newJob("uid")
	if err := apply.Object(ctx, c, v1alpha1.FieldOwnerGateway, job); err != nil {
		t.Fatalf("create: %v", err)
	}
	job.Finalizers = nil
	if err := apply.Object(ctx, c, v1alpha1.FieldOwnerGateway, job); err != nil {
		t.Fatalf("remove finalizer: %v", err)
	}
	if err := c.Delete(ctx, job); err != nil {
		t.Fatalf("delete: %v", err)
	}
	gone := job.DeepCopy()
	gone.ResourceVersion = ""
	if err := apply.Object(ctx, c, v1alpha1.FieldOwnerGateway, gone); !errors.Is(err, apply.ErrOtherObject) {
		t.Fatalf("apply on an object that is gone: %v, want ErrOtherObject", err)
	}
	if err := apply.Object(ctx, c, v1alpha1.FieldOwnerGateway, newJob("uid")); err != nil {
		t.Fatalf("create anew: %v", err)
	}
	gone = job.DeepCopy()
	gone.ResourceVersion = ""
	if err := apply.Object(ctx, c, v1alpha1.FieldOwnerGateway, gone); !errors.Is(err, apply.ErrOtherObject) {
		t.Fatalf("apply on another object of the name: %v, want ErrOtherObject", err)
	}
}

func checkStatus(t *testing.T, c client.Client) {
	ctx := t.Context()
	job := newJob("status")
	if err := apply.Object(ctx, c, v1alpha1.FieldOwnerGateway, job); err != nil {
		t.Fatalf("create: %v", err)
	}
	job.Status.Phase = v1alpha1.PhaseRunning
	job.Status.Attempt = 1
	job.Status.Controller = &v1alpha1.ControllerRef{Name: job.Spec.Provisioner, Instance: "a"}
	job.Status.Progress = &v1alpha1.Progress{Total: 2}
	stale := job.DeepCopy()
	if err := apply.Status(ctx, c, v1alpha1.FieldOwnerController, job); err != nil {
		t.Fatalf("apply status: %v", err)
	}
	got := mustGet(t, c, "status")
	if diff := cmp.Diff(job.Status, got.Status); diff != "" || got.Status.Phase != v1alpha1.PhaseRunning {
		t.Fatalf("status (-applied +read):\n%s", diff)
	}
	if diff := cmp.Diff([]string{v1alpha1.FinalizerRecord}, got.Finalizers); diff != "" || got.Labels[v1alpha1.LabelJobID] != jobID {
		t.Fatalf("the status apply changed the object: %v %v", got.Finalizers, got.Labels)
	}
	if err := apply.Status(ctx, c, v1alpha1.FieldOwnerController, stale); !apierrors.IsConflict(err) {
		t.Fatalf("apply with an old resourceVersion: %v, want a conflict", err)
	}
	// The gateway's apply must not reset what the controller owns.
	again := newJob("status")
	again.Status.Phase = v1alpha1.PhasePending
	again.Spec.Suspend = true
	if err := apply.Object(ctx, c, v1alpha1.FieldOwnerGateway, again); err != nil {
		t.Fatalf("apply spec: %v", err)
	}
	if again.Status.Phase != v1alpha1.PhaseRunning || !again.Spec.Suspend {
		t.Fatalf("after an apply of the spec the status is %+v", again.Status)
	}
	other := job.DeepCopy()
	other.ResourceVersion, other.UID = "", "somebody-else"
	if err := apply.Status(ctx, c, v1alpha1.FieldOwnerController, other); !errors.Is(err, apply.ErrOtherObject) {
		t.Fatalf("status of another object of the name: %v, want ErrOtherObject", err)
	}
	if err := apply.Status(ctx, c, v1alpha1.FieldOwnerController, newJob("nowhere")); !apierrors.IsNotFound(err) {
		t.Fatalf("status of an absent object: %v, want not found", err)
	}
}

func checkInstall(t *testing.T, cfg *rest.Config) {
	list, err := crds.List()
	if err != nil {
		t.Fatalf("List: %v", err)
	}
	wanted := list[1].DeepCopy()
	if err := apply.InstallCRDs(t.Context(), cfg, list); err != nil {
		t.Fatalf("install again: %v", err)
	}
	if diff := cmp.Diff(wanted, list[1]); diff != "" {
		t.Fatalf("InstallCRDs changed its argument:\n%s", diff)
	}
	clash := list[0].DeepCopy() // another CRD that claims the kind and short name of ours
	clash.Name = "others." + v1alpha1.Group
	clash.Spec.Names.Plural, clash.Spec.Names.Singular = "others", "other"
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	err = apply.InstallCRDs(ctx, cfg, []*apiextensionsv1.CustomResourceDefinition{clash})
	if err == nil || !strings.Contains(err.Error(), "Conflict") || ctx.Err() != nil {
		t.Fatalf("a CRD whose names are taken: %v", err)
	}
	bad := list[0].DeepCopy()
	bad.Spec.Versions[0].Storage = false
	if err := apply.InstallCRDs(t.Context(), cfg, []*apiextensionsv1.CustomResourceDefinition{bad}); !apierrors.IsInvalid(err) {
		t.Fatalf("a CRD that is not valid: %v", err)
	}
}

func mustGet(t *testing.T, c client.Client, name string) *v1alpha1.TableProvisionJob {
	t.Helper()
	job := &v1alpha1.TableProvisionJob{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "tenant-a", Name: name}, job); err != nil {
		t.Fatalf("get: %v", err)
	}
	return job
}

// cluster answers for namespaces as the API server of a cluster does.
type cluster struct {
	namespaces map[string]*corev1.Namespace
	forbidden  bool
	raced      bool // a create finds that somebody was faster
	created    []string
}

func (c *cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	const path = "/api/v1/namespaces"
	name := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, path), "/")
	resource := corev1.Resource("namespaces")
	switch {
	case c.forbidden:
		fail(w, apierrors.NewForbidden(resource, name, errors.New("no")))
	case !strings.HasPrefix(r.URL.Path, path):
		fail(w, apierrors.NewGenericServerResponse(http.StatusNotFound, "get", resource, "", "", 0, false))
	case r.Method == http.MethodGet && c.namespaces[name] == nil:
		fail(w, apierrors.NewNotFound(resource, name))
	case r.Method == http.MethodGet:
		_ = json.NewEncoder(w).Encode(c.namespaces[name])
	case r.Method == http.MethodPost:
		ns := &corev1.Namespace{}
		if err := json.NewDecoder(r.Body).Decode(ns); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		c.namespaces[ns.Name] = ns
		if c.raced {
			fail(w, apierrors.NewAlreadyExists(resource, ns.Name))
			return
		}
		c.created = append(c.created, ns.Name)
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(ns)
	}
}

func fail(w http.ResponseWriter, err *apierrors.StatusError) {
	err.ErrStatus.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	w.WriteHeader(int(err.ErrStatus.Code))
	_ = json.NewEncoder(w).Encode(err.ErrStatus)
}

func serve(t *testing.T, c *cluster) *rest.Config {
	t.Helper()
	s := httptest.NewServer(c)
	t.Cleanup(s.Close)
	return &rest.Config{Host: s.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}
}

func namespace(name, uid string, phase corev1.NamespacePhase) *corev1.Namespace {
	return &corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-of-" + uid)},
		Status:     corev1.NamespaceStatus{Phase: phase},
	}
}

func TestClusterUID(t *testing.T) {
	cfg := serve(t, &cluster{namespaces: map[string]*corev1.Namespace{"kube-system": namespace("kube-system", "1", corev1.NamespaceActive)}})
	if got, err := apply.ClusterUID(t.Context(), cfg); err != nil || got != "uid-of-1" {
		t.Fatalf("ClusterUID on a cluster = %q, %v", got, err)
	}
	if got, err := apply.ClusterUID(t.Context(), serve(t, &cluster{})); !errors.Is(err, apply.ErrNoClusterUID) {
		t.Fatalf("ClusterUID without an identity = %q, %v", got, err)
	}
	// Not to be allowed to look is no reason to take another identity.
	if got, err := apply.ClusterUID(t.Context(), serve(t, &cluster{forbidden: true})); !apierrors.IsForbidden(err) {
		t.Fatalf("ClusterUID without the right = %q, %v", got, err)
	}
}

func TestEnsureNamespaceOnACluster(t *testing.T) {
	cases := map[string]struct {
		reason  string
		cluster cluster
		created []string
		want    string
	}{
		"absent":    {"it is made", cluster{namespaces: map[string]*corev1.Namespace{}}, []string{"tenant-a"}, ""},
		"there":     {"it is left", cluster{namespaces: map[string]*corev1.Namespace{"tenant-a": namespace("tenant-a", "1", corev1.NamespaceActive)}}, nil, ""},
		"race":      {"somebody else made it", cluster{namespaces: map[string]*corev1.Namespace{}, raced: true}, nil, ""},
		"ending":    {"nothing can be made in it", cluster{namespaces: map[string]*corev1.Namespace{"tenant-a": namespace("tenant-a", "1", corev1.NamespaceTerminating)}}, nil, "is being deleted"},
		"forbidden": {"it is told", cluster{forbidden: true}, nil, "forbidden"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := apply.EnsureNamespace(t.Context(), serve(t, &c.cluster), "tenant-a")
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Fatalf("%s: %v", c.reason, err)
			}
			if diff := cmp.Diff(c.created, c.cluster.created); diff != "" {
				t.Fatalf("%s: created (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}
