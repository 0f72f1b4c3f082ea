package embedded_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/k8s/apply"
	"github.com/tablewright/tablewright/k8s/crds"
	"github.com/tablewright/tablewright/k8s/embedded"
	"github.com/tablewright/tablewright/k8s/embedded/embeddedtest"
)

// TestServing is about one server, which its parts share.
func TestServing(t *testing.T) {
	dir := t.TempDir()
	s := embeddedtest.StartWith(t, embedded.Options{Dir: dir})
	createJob(t, s.RESTConfig())
	for name, part := range map[string]func(*testing.T, *embedded.Server){
		"ready":                      checkReady,
		"discovery":                  checkDiscovery,
		"discovery of foreign kinds": checkForeignKind,
		"OpenAPI":                    checkOpenAPI,
		"table":                      checkTable,
		"field selectors":            checkFieldSelectors,
		"tokens":                     checkTokens,
		"provisioner's rights":       checkProvisionerRights,
		"identity":                   checkIdentity,
	} {
		t.Run(name, func(t *testing.T) { part(t, s) })
	}
	t.Run("second start", func(t *testing.T) { checkSecondStart(t, s, dir) })
	t.Run("files are the owner's", func(t *testing.T) { checkFiles(t, dir) })
	t.Run("one TCP listener", func(t *testing.T) { checkListeners(t, s) })
}

func checkReady(t *testing.T, s *embedded.Server) {
	if err := s.Ready(t.Context()); err != nil {
		t.Fatalf("Ready: %v", err)
	}
	if err := s.Err(); err != nil {
		t.Fatalf("Err while it runs: %v", err)
	}
}

// What kubectl asks first, in the form of every age.
func checkDiscovery(t *testing.T, s *embedded.Server) {
	d := discovery.NewDiscoveryClientForConfigOrDie(s.RESTConfig())
	for _, accept := range []string{
		"application/json",
		"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
	} {
		text := getRaw(t, s.RESTConfig(), "/apis", accept)
		for _, want := range []string{`"tablewright.dev`, `"apiextensions.k8s.io`} {
			if !strings.Contains(text, want) {
				t.Errorf("/apis as %s does not name %s: %s", accept, want, text)
			}
		}
	}
	groups, lists, err := d.ServerGroupsAndResources()
	if err != nil {
		t.Fatalf("discovery: %v", err)
	}
	names := []string{}
	for _, g := range groups {
		names = append(names, g.Name)
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"apiextensions.k8s.io", "tablewright.dev"}, names); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	for _, l := range lists {
		for _, r := range l.APIResources {
			if r.Name != v1alpha1.ResourceTableProvisionJobs {
				continue
			}
			if !slices.Contains(r.ShortNames, "tpj") || !slices.Contains(r.Categories, "tablewright") || !r.Namespaced {
				t.Errorf("discovery describes the jobs as %+v", r)
			}
			return
		}
	}
	t.Errorf("discovery does not name %s: %v", v1alpha1.ResourceTableProvisionJobs, lists)
}

// Kinds that users install must be found by clients of every age too.
func checkForeignKind(t *testing.T, s *embedded.Server) {
	crd := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.acme.example"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "acme.example", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList"},
		},
	}
	for _, v := range []string{"v1beta1", "v1", "v2alpha1"} {
		crd.Spec.Versions = append(crd.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{
			Name: v, Served: true, Storage: v == "v1",
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}},
		})
	}
	if err := apply.InstallCRDs(t.Context(), s.RESTConfig(), []*apiextensionsv1.CustomResourceDefinition{crd}); err != nil {
		t.Fatalf("install: %v", err)
	}
	want := &metav1.APIGroup{Name: "acme.example", PreferredVersion: gv("v1"), Versions: []metav1.GroupVersionForDiscovery{gv("v1"), gv("v1beta1"), gv("v2alpha1")}}
	await(t, func() string { return cmp.Diff(want, groupAt(t, s, "acme.example")) })

	c := clientset.NewForConfigOrDie(s.RESTConfig())
	if err := c.ApiextensionsV1().CustomResourceDefinitions().Delete(t.Context(), crd.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatalf("delete: %v", err)
	}
	await(t, func() string { return cmp.Diff((*metav1.APIGroup)(nil), groupAt(t, s, "acme.example")) })
	if groupAt(t, s, v1alpha1.Group) == nil {
		t.Fatalf("our group went with it")
	}
}

func gv(version string) metav1.GroupVersionForDiscovery {
	return metav1.GroupVersionForDiscovery{GroupVersion: "acme.example/" + version, Version: version}
}

// groupAt returns a group of the unaggregated /apis.
func groupAt(t *testing.T, s *embedded.Server, name string) *metav1.APIGroup {
	t.Helper()
	var l metav1.APIGroupList
	if err := json.Unmarshal([]byte(getRaw(t, s.RESTConfig(), "/apis", "application/json")), &l); err != nil {
		t.Fatalf("/apis: %v", err)
	}
	for i := range l.Groups {
		if l.Groups[i].Name == name {
			l.Groups[i].ServerAddressByClientCIDRs = nil
			return &l.Groups[i]
		}
	}
	return nil
}

// kubectl explain and apply need both versions.
func checkOpenAPI(t *testing.T, s *embedded.Server) {
	d := discovery.NewDiscoveryClientForConfigOrDie(s.RESTConfig())
	await(t, func() string {
		v2, err := d.OpenAPISchema()
		if err != nil {
			return err.Error()
		}
		for _, def := range v2.GetDefinitions().GetAdditionalProperties() {
			if def.GetName() == "dev.tablewright.v1alpha1.TableProvisionJob" {
				return ""
			}
		}
		return "OpenAPI version 2 does not describe the job"
	})
	await(t, func() string {
		paths, err := d.OpenAPIV3().Paths()
		if err != nil {
			return err.Error()
		}
		p, ok := paths["apis/tablewright.dev/v1alpha1"]
		if !ok {
			return "OpenAPI version 3 does not know the group"
		}
		text, err := p.Schema("application/json")
		if err != nil {
			return err.Error()
		}
		if !strings.Contains(string(text), "dev.tablewright.v1alpha1.TableProvisionJob") {
			return "OpenAPI version 3 does not describe the job"
		}
		return ""
	})
}

// What kubectl get prints.
func checkTable(t *testing.T, s *embedded.Server) {
	var table metav1.Table
	text := getRaw(t, s.RESTConfig(), "/apis/tablewright.dev/v1alpha1/namespaces/tenant-a/tableprovisionjobs",
		"application/json;as=Table;v=v1;g=meta.k8s.io")
	if err := json.Unmarshal([]byte(text), &table); err != nil {
		t.Fatalf("table: %v", err)
	}
	var columns []string
	for _, c := range table.ColumnDefinitions {
		columns = append(columns, c.Name)
	}
	want := []string{"Name", "Operation", "Table", "Provisioner", "Phase", "Done", "Total", "Attempt", "Message", "Age"}
	if diff := cmp.Diff(want, columns); diff != "" {
		t.Fatalf("columns (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]any{jobName(), "Create", "lake.sales.orders", "tablewright.dev/iceberg"}, table.Rows[0].Cells[:4]); diff != "" {
		t.Fatalf("first row (-want +got):\n%s", diff)
	}
}

func checkFieldSelectors(t *testing.T, s *embedded.Server) {
	const jobs = "/apis/tablewright.dev/v1alpha1/tableprovisionjobs?fieldSelector="
	for selector, want := range map[string]bool{
		"spec.provisioner%3Dtablewright.dev/iceberg": true,
		"spec.provisioner%3Dtablewright.dev/kafka":   false,
		"spec.jobId%3D" + jobID:                      true,
		"status.phase%3DSucceeded":                   false,
	} {
		if got := strings.Contains(getRaw(t, s.RESTConfig(), jobs+selector, "application/json"), jobName()); got != want {
			t.Errorf("selector %s finds the job: %v, want %v", selector, got, want)
		}
	}
}

func checkTokens(t *testing.T, s *embedded.Server) {
	for name, token := range map[string]string{"no token": "", "a wrong token": strings.Repeat("0", 64)} {
		for _, path := range []string{"/readyz", "/apis", "/version", "/apis/tablewright.dev/v1alpha1/tableprovisionjobs"} {
			cfg := s.RESTConfig()
			cfg.BearerToken = token
			if code := statusOf(t, cfg, http.MethodGet, path, ""); code != http.StatusUnauthorized {
				t.Errorf("%s, GET %s: %d, want 401", name, path, code)
			}
		}
	}
	cfg := s.RESTConfig()
	cfg.CAData = nil
	if err := discovery.NewDiscoveryClientForConfigOrDie(cfg).RESTClient().Get().AbsPath("/readyz").Do(t.Context()).Error(); err == nil {
		t.Errorf("the server is trusted without its certificate")
	}
}

func checkProvisionerRights(t *testing.T, s *embedded.Server) {
	cfg, err := clientcmd.BuildConfigFromFlags("", s.ProvisionerKubeconfigPath())
	if err != nil {
		t.Fatalf("kubeconfig: %v", err)
	}
	const (
		api  = "/apis/tablewright.dev/v1alpha1"
		jobs = api + "/namespaces/tenant-a/tableprovisionjobs"
		prov = api + "/provisioners"
		ext  = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

		get, post, put, patch, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete
	)
	job := jobs + "/" + jobName()
	registration := `{"apiVersion":"tablewright.dev/v1alpha1","kind":"Provisioner","metadata":{"name":"acme"},
		"spec":{"controllerName":"acme.example/db","operations":["Create"],"contractVersion":"v1"}}`
	for _, c := range []struct {
		method, path, body string
		want               int
	}{
		{get, jobs, "", 200},
		{get, api + "/tableprovisionjobs", "", 200},
		{get, job, "", 200},
		{get, job + "/status", "", 200},
		{patch, job + "/status", `{"status":{"phase":"Pending"}}`, 200},
		{patch, job + "/status", `{"status":{"phase":"Running","controller":{"name":"tablewright.dev/iceberg","instance":"a"}}}`, 200},
		{post, prov, registration, 201},
		{get, prov + "/acme", "", 200},
		{patch, prov + "/acme", `{"spec":{"operations":["Create","Drop"]}}`, 200},
		{patch, prov + "/acme", `{"spec":{"controllerName":"acme.example/other"}}`, 422},
		{patch, prov + "/acme/status", `{"status":{"heartbeatTime":"2026-01-01T00:00:00Z"}}`, 200},
		{get, "/readyz", "", 200},
		{get, "/version", "", 200},
		{get, "/openapi/v2", "", 200},
		{get, "/apis", "", 200},

		{patch, job, `{"spec":{"cancel":true}}`, 403},
		{patch, job, `{"metadata":{"finalizers":[]}}`, 403},
		{patch, job, `{"metadata":{"labels":{"a":"b"}}}`, 403},
		{put, job, `{}`, 403},
		{del, job, "", 403},
		{del, jobs, "", 403},
		{post, jobs, `{}`, 403},
		{del, job + "/status", "", 403},
		{del, prov + "/acme", "", 403},
		{get, ext, "", 403},
		{get, ext + "/" + v1alpha1.CRDTableProvisionJobs, "", 403},
		{del, ext + "/" + v1alpha1.CRDTableProvisionJobs, "", 403},
		{get, "/metrics", "", 403},
		{get, "/debug/pprof/heap", "", 403},
		{get, "/logs", "", 403},
		{post, "/readyz", "", 403},
	} {
		if got := statusOf(t, cfg, c.method, c.path, c.body); got != c.want {
			t.Errorf("%s %s %s: %d, want %d", c.method, c.path, c.body, got, c.want)
		}
	}
	// What a main-object write was refused must not get in with the status.
	body := `{"metadata":{"finalizers":["acme.example/mine"]},"spec":{"cancel":true},"status":{"message":"m"}}`
	if got := statusOf(t, cfg, patch, job+"/status", body); got != 200 {
		t.Fatalf("status patch with more in it: %d", got)
	}
	var got v1alpha1.TableProvisionJob
	if err := json.Unmarshal([]byte(getRaw(t, cfg, job, "application/json")), &got); err != nil {
		t.Fatalf("read job: %v", err)
	}
	if got.Spec.Cancel || len(got.Finalizers) > 0 || got.Status.Message != "m" {
		t.Errorf("a status patch changed the job to %+v %+v", got.ObjectMeta, got.Spec)
	}
}

func checkIdentity(t *testing.T, s *embedded.Server) {
	for i := range 2 {
		got, err := apply.ClusterUID(t.Context(), s.RESTConfig())
		if err != nil || got != s.UID() || got == "" {
			t.Fatalf("%d: ClusterUID = %q, %v; the server says %q", i, got, err, s.UID())
		}
		list, err := crds.List()
		if err != nil {
			t.Fatalf("List: %v", err)
		}
		if err := apply.InstallCRDs(t.Context(), s.RESTConfig(), list); err != nil {
			t.Fatalf("install the CRDs again: %v", err)
		}
	}
}

// checkSecondStart is refused within one process too, where a lock of the process
// would let it through.
func checkSecondStart(t *testing.T, s *embedded.Server, dir string) {
	_, err := embedded.Start(t.Context(), embedded.Options{Dir: dir})
	locked, ok := errors.AsType[*embedded.LockedError](err)
	if !ok || locked.PID != os.Getpid() {
		t.Fatalf("second start: %v, want a LockedError with pid %d", err, os.Getpid())
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Fatalf("after it the first server is not ready: %v", err)
	}
}

func checkFiles(t *testing.T, dir string) {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v, which others may use", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Fatalf("walk: %v", err)
	}
}

// checkListeners counts this process's listening TCP sockets: the API, no etcd.
func checkListeners(t *testing.T, s *embedded.Server) {
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatalf("open files: %v", err)
	}
	inodes := map[string]bool{}
	for _, fd := range fds {
		if link, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && strings.HasPrefix(link, "socket:[") {
			inodes[strings.TrimSuffix(strings.TrimPrefix(link, "socket:["), "]")] = true
		}
	}
	var listening []string
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			t.Fatalf("sockets: %v", err)
		}
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) > 9 && f[3] == "0A" && inodes[f[9]] {
				listening = append(listening, f[1])
			}
		}
	}
	var port int
	if _, err := fmt.Sscanf(s.RESTConfig().Host, "https://127.0.0.1:%d", &port); err != nil {
		t.Fatalf("address %s: %v", s.RESTConfig().Host, err)
	}
	if diff := cmp.Diff([]string{fmt.Sprintf("0100007F:%04X", port)}, listening); diff != "" {
		t.Fatalf("listening sockets (-want +got):\n%s", diff)
	}
}

func restClient(t *testing.T, cfg *rest.Config) rest.Interface {
	t.Helper()
	return discovery.NewDiscoveryClientForConfigOrDie(cfg).RESTClient()
}

func getRaw(t *testing.T, cfg *rest.Config, path, accept string) string {
	t.Helper()
	text, err := restClient(t, cfg).Get().RequestURI(path).SetHeader("Accept", accept).Do(t.Context()).Raw()
	if err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	return string(text)
}

func statusOf(t *testing.T, cfg *rest.Config, method, path, body string) int {
	t.Helper()
	r := restClient(t, cfg).Verb(method).AbsPath(path)
	if method == http.MethodPatch {
		r = r.SetHeader("Content-Type", string(types.MergePatchType))
	}
	if body != "" {
		r = r.Body([]byte(body))
	}
	var code int
	r.Do(t.Context()).StatusCode(&code)
	return code
}

// await repeats a check until it has nothing to say.
func await(t *testing.T, check func() string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		problem := check()
		if problem == "" {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("not in time: %s", problem)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
