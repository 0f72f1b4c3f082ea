package crds_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/uuid"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/k8s/embedded"
	"github.com/tablewright/tablewright/k8s/embedded/embeddedtest"
)

func TestMain(m *testing.M) {
	embedded.RouteKlog(logr.Discard())
	os.Exit(m.Run())
}

const (
	holder  = `"controller":{"name":"tablewright.dev/iceberg","instance":"a"}`
	ended   = `"completionTime":"2026-01-02T03:04:05Z"`
	failure = `"error":{"code":"58030","message":"it broke"}`

	pending    = `{"phase":"Pending"}`
	running    = `{"phase":"Running","attempt":1,"startTime":"2026-01-02T03:00:00Z",` + holder + `}`
	cancelling = `{"phase":"Cancelling",` + holder + `}`
	undoing    = `{"phase":"Undoing","undo":"Running",` + failure + `,` + holder + `}`
	succeeded  = `{"phase":"Succeeded",` + ended + `,` + holder + `}`
	failed     = `{"phase":"Failed","undo":null,` + ended + `,` + failure + `,` + holder + `}`
	cancelled  = `{"phase":"Cancelled","undo":null,` + ended + `,` + holder + `}`
)

// spec and status are merge patches of one part of a job.
func spec(patch string) change   { return change{patch: `{"spec":` + patch + `}`} }
func status(patch string) change { return change{patch: `{"status":` + patch + `}`, sub: "status"} }

// change is one write to a job.
type change struct {
	patch string
	sub   string          // subresource
	kind  types.PatchType // merge patch when empty
}

// A rule is a way to a state, and one more write with its answer.
type rule struct {
	reason string
	given  []change
	write  change
	want   string // part of the refusal; empty: accepted
}

func TestTableProvisionJobRules(t *testing.T) {
	jobs := jobClient(t, embeddedtest.Start(t))
	for group, rules := range map[string][]rule{
		"spec": specRules(), "control": controlRules(), "status": statusRules(), "removal": removalRules(), "times": timeRules(),
	} {
		for i, r := range rules {
			t.Run(fmt.Sprintf("%s/%d %s", group, i, r.reason), func(t *testing.T) {
				name := create(t, jobs, "{}")
				for _, g := range r.given {
					if err := write(t, jobs, name, g); err != nil {
						t.Fatalf("given %s: %v", g.patch, err)
					}
				}
				wantAnswer(t, r.write.patch, write(t, jobs, name, r.write), r.want)
			})
		}
	}
	t.Run("transitions", func(t *testing.T) { checkTransitions(t, jobs) })
	t.Run("creation", func(t *testing.T) { checkCreation(t, jobs) })
	t.Run("hostile status never breaks a typed list", func(t *testing.T) { checkHostile(t, jobs) })
}

func specRules() []rule {
	const immutable = "spec is immutable"
	rules := []rule{
		{"catalog is immutable", nil, spec(`{"catalog":{"name":"pond"}}`), "spec.catalog and spec.table are immutable"},
		{"catalog options are immutable", nil, spec(`{"catalog":{"options":[{"name":"uri","value":"x"}]}}`), "immutable"},
		{"table is immutable", nil, spec(`{"table":{"path":["sales","other"]}}`), "spec.catalog and spec.table are immutable"},
		{"constraints are immutable", nil, spec(`{"table":{"constraints":[{"definition":"CHECK (id > 1)"}]}}`), "immutable"},
		{"changes can not be added", nil, spec(`{"changes":[{"action":"DropColumn","column":"id"}]}`), "spec.changes is immutable"},
		{"ttl may be set", nil, spec(`{"ttlAfterFinished":"1h"}`), ""},
		{"ttl may not be negative", nil, spec(`{"ttlAfterFinished":"-1s"}`), "ttlAfterFinished may not be negative"},
		{"ttl must be a duration", nil, spec(`{"ttlAfterFinished":"soon"}`), "ttlAfterFinished"},
		{"ttl may be set after the end", []change{status(pending), status(running), status(succeeded)}, spec(`{"ttlAfterFinished":"0s"}`), ""},
	}
	for field, patch := range map[string]string{
		"jobId":        `{"jobId":"0190f5c2-a7b4-7c3e-9d1f-2a3b4c5d6e7f"}`,
		"operation":    `{"operation":"Drop"}`,
		"kind":         `{"kind":"Schema"}`,
		"provisioner":  `{"provisioner":"tablewright.dev/kafka"}`,
		"deadline":     `{"deadline":"1h"}`,
		"backoffLimit": `{"backoffLimit":7}`,
		"onFailure":    `{"onFailure":"Keep"}`,
		"displayName":  `{"displayName":"x"}`,
		"requestedBy":  `{"requestedBy":"bob"}`,
	} {
		rules = append(rules, rule{field + " is immutable", nil, spec(patch), immutable})
	}
	return rules
}

func controlRules() []rule {
	end := []change{status(pending), status(running), status(succeeded)}
	const isOver = "the job has ended"
	return []rule{
		{"cancel may be set", nil, spec(`{"cancel":true}`), ""},
		{"cancel can not be taken back", []change{spec(`{"cancel":true}`)}, spec(`{"cancel":false}`), "a cancel cannot be taken back"},
		{"nor removed", []change{spec(`{"cancel":true}`)}, spec(`{"cancel":null}`), "a cancel cannot be taken back"},
		{"suspend may be set", nil, spec(`{"suspend":true}`), ""},
		{"suspend may be taken back", []change{spec(`{"suspend":true}`)}, spec(`{"suspend":false}`), ""},
		{"no cancel after the end", end, spec(`{"cancel":true}`), isOver},
		{"no suspend after the end", end, spec(`{"suspend":true}`), isOver},
		{"a cancel that comes too late ends Succeeded", []change{status(running), spec(`{"cancel":true}`), status(cancelling)}, status(succeeded), ""},
	}
}

func statusRules() []rule {
	run := []change{status(pending), status(running)}
	end := []change{status(pending), status(running), status(succeeded)}
	return []rule{
		{"attempt goes up", run, status(`{"attempt":2}`), ""},
		{"attempt never goes down", run, status(`{"attempt":0}`), "attempt never goes down"},
		{"attempt can not be removed", run, status(`{"attempt":null}`), "attempt never goes down"},
		{"attempt is not negative", nil, status(`{"attempt":-1}`), "attempt"},
		{"startTime is set once", run, status(`{"startTime":"2026-02-02T03:00:00Z"}`), "startTime is set once"},
		{"startTime can not be removed", run, status(`{"startTime":null}`), "startTime is set once"},
		{"completionTime is set once", end, status(`{"completionTime":"2026-02-02T03:00:00Z"}`), "completionTime is set once"},
		{"a final phase needs completionTime", run, status(`{"phase":"Succeeded"}`), "completionTime is set exactly with a final phase"},
		{"completionTime needs a final phase", run, status(`{` + ended + `}`), "completionTime is set exactly with a final phase"},
		{"Failed needs an error", run, status(`{"phase":"Failed",` + ended + `}`), "Failed needs an error"},
		{"Running needs a holder", nil, status(`{"phase":"Running"}`), "controller (holder) must be set once a job runs"},
		{"Failed needs a holder", nil, status(`{"phase":"Failed",` + ended + `,` + failure + `}`), "controller (holder) must be set"},
		{"Cancelled needs no holder", nil, status(`{"phase":"Cancelled",` + ended + `}`), ""},
		{"a holder can not be removed while it runs", run, status(`{"controller":null}`), "controller (holder) must be set"},
		{"another holder may take over", run, status(`{"attempt":2,"controller":{"instance":"b"}}`), ""},
		{"phase can not be removed", run, status(`{"phase":null}`), "phase may not be removed"},
		{"outputs of a succeeded job never change", end, status(`{"outputs":[{"name":"location","value":"y"}]}`), ""},
		{
			"outputs of a succeeded job never change again", append(end, status(`{"outputs":[{"name":"location","value":"y"}]}`)),
			status(`{"outputs":[{"name":"location","value":"z"}]}`), "outputs of a succeeded job never change",
		},
		{"nor are they removed", append(end, status(`{"outputs":[{"name":"location","value":"y"}]}`)), status(`{"outputs":null}`), "outputs of a succeeded job"},
		{"conditions may still change", end, status(`{"conditions":[` + condition("2026-01-01T00:00:00Z") + `]}`), ""},
		{"a phase is final only after its undo", append(run, status(undoing)), status(`{"phase":"Failed",` + ended + `}`), "a phase is final only after its undo"},
		{"an undo may end done", append(run, status(undoing)), status(`{"phase":"Failed","undo":"Done",` + ended + `}`), ""},
		{"an undo may fail", append(run, status(undoing)), status(`{"phase":"Failed","undo":"Failed",` + ended + `}`), ""},
		{"a first status can not be Undoing", nil, status(undoing), "only a job that runs or is being cancelled can be undone"},
		{"done is at most total", run, status(`{"progress":{"done":3,"total":2}}`), "done may not be more than total"},
		{"done may be total", run, status(`{"progress":{"done":2,"total":2}}`), ""},
		{"done may be without total", run, status(`{"progress":{"done":2}}`), ""},
		{"an error code is a SQLSTATE", run, status(`{"error":{"code":"oops","message":"m"}}`), "status.error.code"},
		{"a phase is one of the phases", nil, status(`{"phase":"Exploded"}`), "status.phase"},
		{"a message is bounded", run, status(`{"message":"` + strings.Repeat("x", 4097) + `"}`), "status.message"},
		{"steps are bounded", run, status(`{"steps":` + steps(65) + `}`), "status.steps"},
		{"64 steps are not too many", run, status(`{"steps":` + steps(64) + `}`), ""},
	}
}

// Status is under rules only as long as it is there.
func removalRules() []rule {
	end := []change{status(pending), status(running), status(succeeded)}
	remove := change{patch: `[{"op":"remove","path":"/status"}]`, kind: types.JSONPatchType}
	removeSub := change{patch: remove.patch, kind: remove.kind, sub: "status"}
	return []rule{
		{"status of an ended job can not be removed", end, removeSub, "status may not be removed"},
		{"nor of a running one", end[:2], removeSub, "status may not be removed"},
		{"nor by a merge patch", end, status(`null`), "status may not be removed"},
		{"nor be emptied", end, change{patch: `[{"op":"replace","path":"/status","value":{}}]`, kind: types.JSONPatchType, sub: "status"}, "a final phase never changes"},
	}
}

func timeRules() []rule {
	var rules []rule
	for text, want := range map[string]string{
		"2026-01-01T00:00:00Z":             "",
		"2026-01-01T00:00:00.123456+05:30": "",
		"2026-01-01T00:00:00":              "heartbeatTime",
		"2026-01-01 00:00:00Z":             "heartbeatTime",
		"2026-01-01t00:00:00z":             "heartbeatTime",
		"2026-01-01T00:00:00+99:99":        "heartbeatTime",
		"2026-13-01T00:00:00Z":             "heartbeatTime",
		"yesterday":                        "heartbeatTime",
	} {
		rules = append(rules, rule{"heartbeatTime " + text, nil, status(`{"heartbeatTime":"` + text + `"}`), want})
		if want != "" {
			want = "lastTransitionTime"
		}
		rules = append(rules, rule{"lastTransitionTime " + text, nil, status(`{"conditions":[` + condition(text) + `]}`), want})
	}
	return rules
}

// checkTransitions tries every phase after every other.
func checkTransitions(t *testing.T, jobs dynamic.ResourceInterface) {
	ways := map[string][]change{
		"Pending":    {status(pending)},
		"Running":    {status(running)},
		"Cancelling": {status(running), status(cancelling)},
		"Undoing":    {status(running), status(undoing)},
		"Succeeded":  {status(running), status(succeeded)},
		"Failed":     {status(running), status(failed)},
		"Cancelled":  {status(running), status(cancelling), status(cancelled)},
	}
	to := map[string]change{
		"Pending": status(pending), "Running": status(running), "Cancelling": status(cancelling), "Undoing": status(undoing),
		"Succeeded": status(succeeded), "Failed": status(failed), "Cancelled": status(cancelled),
	}
	allowed := map[string]string{
		"Pending":    "Pending Running Cancelling Succeeded Failed Cancelled",
		"Running":    "Running Cancelling Undoing Succeeded Failed Cancelled",
		"Cancelling": "Cancelling Undoing Succeeded Failed Cancelled",
		"Undoing":    "Undoing Failed Cancelled",
		"Succeeded":  "Succeeded",
		"Failed":     "Failed",
		"Cancelled":  "Cancelled",
	}
	for from, way := range ways {
		for phase, w := range to {
			t.Run(from+" to "+phase, func(t *testing.T) {
				name := create(t, jobs, "{}")
				for _, g := range way {
					if err := write(t, jobs, name, g); err != nil {
						t.Fatalf("given %s: %v", g.patch, err)
					}
				}
				want := ""
				if !strings.Contains(" "+allowed[from]+" ", " "+phase+" ") {
					want = "is invalid"
				}
				wantAnswer(t, w.patch, write(t, jobs, name, w), want)
			})
		}
	}
}

// checkCreation tries what a new job may look like.
func checkCreation(t *testing.T, jobs dynamic.ResourceInterface) {
	cases := []struct{ reason, patch, want string }{
		{"the plain job", `{}`, ""},
		{"a long name", `{"metadata":{"name":"` + strings.Repeat("n", 64) + `"}}`, "name must be at most 63 characters"},
		{"a job id of version 4", `{"spec":{"jobId":"0190f5c2-a7b4-4c3e-9d1f-2a3b4c5d6e7f"}}`, "spec.jobId"},
		{"a job id in upper case", `{"spec":{"jobId":"0190F5C2-A7B4-7C3E-9D1F-2A3B4C5D6E7F"}}`, "spec.jobId"},
		{"an unknown operation", `{"spec":{"operation":"Explode"}}`, "spec.operation"},
		{"a schema", `{"spec":{"kind":"Schema"}}`, ""},
		{"an unknown kind", `{"spec":{"kind":"Index"}}`, "spec.kind"},
		{"a provisioner without a domain", `{"spec":{"provisioner":"iceberg"}}`, "spec.provisioner"},
		{"a provisioner of somebody else", `{"spec":{"provisioner":"acme.example/db_2.x"}}`, ""},
		{"no deadline", `{"spec":{"deadline":null}}`, "spec.deadline"},
		{"a deadline of nothing", `{"spec":{"deadline":"0s"}}`, "deadline must be a positive duration"},
		{"a deadline in the past", `{"spec":{"deadline":"-1h"}}`, "deadline must be a positive duration"},
		{"a deadline in words", `{"spec":{"deadline":"an hour"}}`, "spec.deadline"},
		{"an empty path", `{"spec":{"table":{"path":[]}}}`, "spec.table.path"},
		{"an empty part of a path", `{"spec":{"table":{"path":[""]}}}`, "spec.table.path"},
		{"a long part of a path", `{"spec":{"table":{"path":["` + strings.Repeat("p", 1025) + `"]}}}`, "spec.table.path"},
		{"too many columns", `{"spec":{"table":{"columns":` + columns(1601) + `}}}`, "spec.table.columns"},
		{"as many columns as PostgreSQL takes", `{"spec":{"table":{"columns":` + columns(1600) + `}}}`, ""},
		{"an identity column", `{"spec":{"table":{"columns":[{"name":"id","type":"bigint","identity":"Always"}]}}}`, ""},
		{"an empty constraint", `{"spec":{"table":{"constraints":[{"name":"c","definition":""}]}}}`, "constraints"},
		{"a constraint without a definition", `{"spec":{"table":{"constraints":[{"name":"c"}]}}}`, "definition"},
		{"two options of one name", `{"spec":{"table":{"options":[{"name":"a","value":"1"},{"name":"a","value":"2"}]}}}`, "Duplicate value"},
		{"an option with an empty value", `{"spec":{"catalog":{"options":[{"name":"a","value":""}]}}}`, ""},
		{"an option with a secret", `{"spec":{"catalog":{"options":[{"name":"a","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}]}}}`, ""},
		{"an option with neither", `{"spec":{"catalog":{"options":[{"name":"a"}]}}}`, "exactly one of value and valueFrom"},
		{"an option with both", `{"spec":{"catalog":{"options":[{"name":"a","value":"1","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}]}}}`, "exactly one of value and valueFrom"},
		{"a secret key that is a path", `{"spec":{"catalog":{"options":[{"name":"a","valueFrom":{"secretKeyRef":{"name":"s","key":"../k"}}}]}}}`, "key"},
		{"changes without Alter", `{"spec":{"changes":[{"action":"DropColumn","column":"id"}]}}`, "changes are for operation Alter"},
		{"Alter without changes", `{"spec":{"operation":"Alter"}}`, "changes are for operation Alter"},
		{"Alter with no change", `{"spec":{"operation":"Alter","changes":[]}}`, "changes are for operation Alter"},
		{"Alter with a change", `{"spec":{"operation":"Alter","changes":[{"action":"DropColumn","column":"id"}]}}`, ""},
		{"an unknown change", `{"spec":{"operation":"Alter","changes":[{"action":"Shrink"}]}}`, "action"},
		{"too many retries", `{"spec":{"backoffLimit":101}}`, "spec.backoffLimit"},
		{"no retry", `{"spec":{"backoffLimit":0}}`, ""},
		{"an unknown field", `{"spec":{"colour":"red"}}`, `unknown field "spec.colour"`},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			_, err := tryCreate(t, jobs, c.patch)
			wantAnswer(t, c.patch, err, c.want)
		})
	}
	t.Run("changes of an Alter are immutable", func(t *testing.T) {
		name := create(t, jobs, `{"spec":{"operation":"Alter","changes":[{"action":"DropColumn","column":"id"}]}}`)
		for _, patch := range []string{`[{"action":"DropColumn","column":"x"}]`, `[]`} {
			wantAnswer(t, patch, write(t, jobs, name, spec(`{"changes":`+patch+`}`)), "spec.changes is immutable")
		}
	})
	t.Run("status is not taken at creation", func(t *testing.T) {
		got := get(t, jobs, create(t, jobs, `{"status":`+succeeded+`}`))
		if s, has := got.Object["status"]; has {
			t.Fatalf("a new job has status %v", s)
		}
	})
	t.Run("defaults", func(t *testing.T) {
		got := get(t, jobs, create(t, jobs, `{"spec":{"displayName":null,"backoffLimit":null}}`)).Object["spec"].(map[string]any)
		for field, want := range map[string]any{
			"backoffLimit": int64(6), "onFailure": "Undo", "cancel": false, "suspend": false, "displayName": "", "kind": "Table",
		} {
			if got[field] != want {
				t.Errorf("default of %s is %v, want %v", field, got[field], want)
			}
		}
	})
}

// checkHostile writes numbers and times that a Go client might not be able to
// read. Each must be refused or readable: one job must never hide all others.
func checkHostile(t *testing.T, jobs dynamic.ResourceInterface) {
	name := create(t, jobs, "{}")
	for _, patch := range []string{
		`{"attempt":3000000000}`, `{"attempt":1.5}`, `{"attempt":1e30}`, `{"attempt":1.0}`, `{"attempt":9223372036854775808}`,
		`{"observedGeneration":1e30}`, `{"observedGeneration":18446744073709551615}`, `{"progress":{"done":1e30}}`,
		`{"progress":{"done":9223372036854775808,"total":9223372036854775808}}`, `{"progress":{"done":1e18}}`,
		`{"startTime":"0000-01-01T00:00:00Z"}`, `{"heartbeatTime":"9999-12-31T23:59:59Z"}`, `{"heartbeatTime":"2026-01-01T24:00:00Z"}`,
		`{"heartbeatTime":"2026-01-01T00:00:60Z"}`, `{"heartbeatTime":"2026-02-30T00:00:00Z"}`,
		`{"message":"\u0000\ud800"}`,
	} {
		refused := write(t, jobs, name, status(patch))
		text, err := json.Marshal(get(t, jobs, name))
		if err != nil {
			t.Fatalf("%s: encode: %v", patch, err)
		}
		if err := json.Unmarshal(text, &v1alpha1.TableProvisionJob{}); err != nil {
			t.Errorf("%s was accepted (%v) but can not be read: %v", patch, refused, err)
		}
	}
}

func condition(at string) string {
	return `{"type":"Ready","status":"True","reason":"Done","message":"","lastTransitionTime":"` + at + `"}`
}

func steps(n int) string {
	return repeat(n, func(i int) string { return fmt.Sprintf(`{"name":"s%d","phase":"Running"}`, i) })
}

func columns(n int) string {
	return repeat(n, func(i int) string { return fmt.Sprintf(`{"name":"c%d","type":"text"}`, i) })
}

func repeat(n int, item func(int) string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = item(i)
	}
	return "[" + strings.Join(items, ",") + "]"
}

func jobClient(t *testing.T, s *embedded.Server) dynamic.ResourceInterface {
	t.Helper()
	c, err := dynamic.NewForConfig(s.RESTConfig())
	if err != nil {
		t.Fatalf("client: %v", err)
	}
	return c.Resource(v1alpha1.Resource(v1alpha1.ResourceTableProvisionJobs)).Namespace("tenant-a")
}

// create makes the plain job, changed by a merge patch, and returns its name.
func create(t *testing.T, jobs dynamic.ResourceInterface, patch string) string {
	t.Helper()
	name, err := tryCreate(t, jobs, patch)
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	return name
}

func tryCreate(t *testing.T, jobs dynamic.ResourceInterface, patch string) (string, error) {
	t.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	text := `{"apiVersion":"tablewright.dev/v1alpha1","kind":"TableProvisionJob",
		"metadata":{"name":"` + v1alpha1.JobName([]string{"sales", "orders"}, id) + `"},
		"spec":{"jobId":"` + id + `","operation":"Create","provisioner":"tablewright.dev/iceberg","displayName":"lake.sales.orders",
			"catalog":{"name":"lake","type":"iceberg"},"deadline":"30m",
			"table":{"path":["sales","orders"],"columns":[{"name":"id","type":"bigint","nullable":false}],
				"constraints":[{"name":"positive","definition":"CHECK (id > 0)"}]}}}`
	job := merge(decode(t, text), decode(t, patch))
	u := &unstructured.Unstructured{Object: job}
	_, err := jobs.Create(t.Context(), u, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	return u.GetName(), err
}

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("decode %s: %v", text, err)
	}
	return v
}

// merge is a JSON merge patch.
func merge(into, patch map[string]any) map[string]any {
	for k, v := range patch {
		sub, isMap := v.(map[string]any)
		old, wasMap := into[k].(map[string]any)
		switch {
		case v == nil:
			delete(into, k)
		case isMap && wasMap:
			into[k] = merge(old, sub)
		default:
			into[k] = v
		}
	}
	return into
}

func write(t *testing.T, jobs dynamic.ResourceInterface, name string, c change) error {
	t.Helper()
	kind := c.kind
	if kind == "" {
		kind = types.MergePatchType
	}
	var subs []string
	if c.sub != "" {
		subs = append(subs, c.sub)
	}
	_, err := jobs.Patch(t.Context(), name, kind, []byte(c.patch), metav1.PatchOptions{}, subs...)
	return err
}

func get(t *testing.T, jobs dynamic.ResourceInterface, name string) *unstructured.Unstructured {
	t.Helper()
	u, err := jobs.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatalf("get: %v", err)
	}
	return u
}

func wantAnswer(t *testing.T, what string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Fatalf("%s is refused: %v", what, err)
	case want != "" && err == nil:
		t.Fatalf("%s is accepted, want a refusal with %q", what, want)
	case want != "" && !strings.Contains(err.Error(), want):
		t.Fatalf("%s is refused with\n%v\nwant %q in it", what, err, want)
	}
}
