package controller

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/provision"
)

func TestClamp(t *testing.T) {
	tests := []struct {
		text  string
		limit int
		want  string
	}{
		{"", 5, ""},
		{"12345", 5, "12345"},
		{"123456", 5, "12..."},
		{"ääää", 6, "ä..."},
		{"a\xff", 6, "a?"},
	}
	for _, tt := range tests {
		got := clamp(tt.text, tt.limit)
		if got != tt.want || !utf8.ValidString(got) {
			t.Fatalf("clamp(%q, %d) = %q, want %q", tt.text, tt.limit, got, tt.want)
		}
	}
}

func TestBackoff(t *testing.T) {
	want := []time.Duration{1, 1, 2, 4, 8, 16, 32, 60, 60}
	for n, seconds := range want {
		if got := backoff(n); got != seconds*time.Second {
			t.Fatalf("backoff(%d) = %s", n, got)
		}
	}
	if got := backoff(1 << 30); got != time.Minute {
		t.Fatalf("backoff of many = %s", got)
	}
}

func TestJobError(t *testing.T) {
	tests := map[string]struct {
		err  error
		want v1alpha1.JobError
	}{
		"typed":    {fmt.Errorf("around: %w", denied()), v1alpha1.JobError{Code: "42501", Message: "permission denied for schema sales"}},
		"plain":    {errors.New("secret"), v1alpha1.JobError{Code: "XX000", Message: "internal error", Retryable: true}},
		"bad code": {sqlerr.New("nope", "x"), v1alpha1.JobError{Code: "XX000", Message: "x"}},
		"in time":  {context.DeadlineExceeded, v1alpha1.JobError{Code: "XX000", Message: "internal error", Retryable: true}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, jobError(tt.err)); diff != "" {
				t.Fatalf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAddOutput(t *testing.T) {
	var outputs []v1alpha1.JobOutput
	for _, o := range [][2]string{
		{"a", "1"},
		{"a", "2"},
		{"", "x"},
		{strings.Repeat("n", outputNameLengthMax+1), "x"},
		{"long", strings.Repeat("v", outputValueLengthMax+1)},
		{"bytes", "\xff"},
	} {
		outputs = addOutput(outputs, o[0], o[1])
	}
	if diff := cmp.Diff([]v1alpha1.JobOutput{{Name: "a", Value: "2"}}, outputs); diff != "" {
		t.Fatalf("outputs (-want +got):\n%s", diff)
	}
	for i := range 2 * outputsMax {
		outputs = addOutput(outputs, fmt.Sprint("n", i), "x")
	}
	if len(outputs) != outputsMax {
		t.Fatalf("there are %d outputs", len(outputs))
	}
}

func TestSteps(t *testing.T) {
	now := metav1.Now()
	long := strings.Repeat("s", stepNameLengthMax+10)
	steps := planSteps(nil, []string{"a", "a", "", long, long})
	names := []string{}
	for _, s := range steps {
		names = append(names, s.Name)
		if len(s.Name) > stepNameLengthMax || s.Phase != v1alpha1.StepPending {
			t.Fatalf("step is %+v", s)
		}
	}
	want := []string{"a", "a 2", clamp(long, stepNameLengthMax), clamp(clamp(long, stepNameLengthMax), stepNameLengthMax-2) + " 2"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Fatalf("names (-want +got):\n%s", diff)
	}
	steps = reportStep(steps, "a", false, now)
	steps = reportStep(steps, "a", true, now)
	steps = reportStep(steps, "unannounced", false, now)
	steps = setIdentity(steps, "first", now)
	steps = reportStep(steps, "unannounced", true, now)
	if steps[4].ExternalID != "first" || identityOf(steps) != "first" || !begun(steps) {
		t.Fatalf("steps are %+v", steps)
	}
	// The next attempt knows other steps, and still the identity.
	steps = planSteps(steps, []string{"a"})
	if len(steps) != 1 || steps[0].ExternalID != "first" || steps[0].Phase != v1alpha1.StepPending || !begun(steps) {
		t.Fatalf("steps are %+v", steps)
	}
	steps = setIdentity(steps, "second", now)
	if identityOf(steps) != "second" {
		t.Fatalf("steps are %+v", steps)
	}
	many := make([]string, 2*stepsMax)
	for i := range many {
		many[i] = fmt.Sprint("s", i)
	}
	steps = planSteps(nil, many)
	if steps = reportStep(steps, "one more", false, now); len(steps) != stepsMax {
		t.Fatalf("there are %d steps", len(steps))
	}
	if steps = setIdentity(nil, "alone", now); identityOf(steps) != "alone" {
		t.Fatalf("steps are %+v", steps)
	}
}

// The pool tells catalogs apart by what they are opened with.
func TestPooled(t *testing.T) {
	c := stepOn(plan.Create, fakeType, "t").Catalog
	other := c
	other.Options = catalog.Options{{Name: "host", Value: "elsewhere"}}
	next := c
	next.Generation++
	same := stepOn(plan.Create, fakeType, "t").Catalog
	if pooled(c).Generation != pooled(same).Generation || pooled(c).Name != c.Name {
		t.Fatalf("the same catalog is told from itself")
	}
	if pooled(c).Generation == pooled(other).Generation || pooled(c).Generation == pooled(next).Generation {
		t.Fatalf("different catalogs are taken for one")
	}
}

func TestOptions(t *testing.T) {
	pool := newPool(&system{})
	good := Options{RESTConfig: &rest.Config{}, Pool: pool, Namespace: "n", Instance: "i"}
	if o, err := good.complete(); err != nil || o.Workers != workersDefault || o.Clock == nil {
		t.Fatalf("options are %+v, %v", o, err)
	}
	for name, edit := range map[string]func(*Options){
		"control plane": func(o *Options) { o.RESTConfig = nil },
		"types":         func(o *Options) { o.Pool = provision.NewPool(nil, nil) },
		"namespace":     func(o *Options) { o.Namespace = "" },
		"instance":      func(o *Options) { o.Instance = "" },
		"workers":       func(o *Options) { o.Workers = -1 },
	} {
		o := good
		edit(&o)
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), name) {
			t.Fatalf("without %s: %v", name, err)
		}
	}
}

// The cache keeps of other controllers' jobs what predicates need, and of ours everything.
func TestThin(t *testing.T) {
	transform := thin(map[string]string{"tablewright.dev/fake": fakeType})
	job := func(provisioner string) *v1alpha1.TableProvisionJob {
		return &v1alpha1.TableProvisionJob{
			ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{"a": "b"}},
			Spec:       v1alpha1.TableProvisionJobSpec{Provisioner: provisioner, JobID: "id"},
			Status:     v1alpha1.TableProvisionJobStatus{Message: "m"},
		}
	}
	for _, provisioner := range []string{"tablewright.dev/fake", "example.com/x"} {
		got, err := transform(job(provisioner))
		want := job(provisioner)
		if provisioner == "example.com/x" {
			want = &v1alpha1.TableProvisionJob{
				ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: v1alpha1.TableProvisionJobSpec{Provisioner: provisioner},
			}
		}
		if diff := cmp.Diff(any(want), got); err != nil || diff != "" {
			t.Fatalf("job of %s: %v (-want +got):\n%s", provisioner, err, diff)
		}
	}
}
