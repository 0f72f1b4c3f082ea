package controller

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-logr/logr"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

// What a victim is told.
const (
	envNamespace = "TABLEWRIGHT_TEST_CONTROLLER_NAMESPACE"
	envLog       = "TABLEWRIGHT_TEST_CONTROLLER_LOG"
	envKillAt    = "TABLEWRIGHT_TEST_CONTROLLER_KILL_AT"
	envFailAt    = "TABLEWRIGHT_TEST_CONTROLLER_FAIL_AT"
	envMarks     = "TABLEWRIGHT_TEST_CONTROLLER_MARKS"
	envReal      = "TABLEWRIGHT_TEST_CONTROLLER_REAL" // folder of real systems, in place of the log
	victimName   = "victim"
)

// runVictim is a controller that kills its own process, as SIGKILL does, when it reaches a point.
func runVictim() int {
	config, _, err := connect(os.Getenv(envDir))
	if err != nil {
		return complain(err)
	}
	s := &system{
		file: os.Getenv(envLog), marks: os.Getenv(envMarks) != "",
		hooks: map[string]func(context.Context, plan.Resource) error{},
	}
	s.on(os.Getenv(envFailAt), func(context.Context, plan.Resource) error { return denied() })
	s.on(os.Getenv(envKillAt), func(context.Context, plan.Resource) error {
		return errors.Join(syscall.Kill(os.Getpid(), syscall.SIGKILL), errors.New("it survived"))
	})
	o := options(s, os.Getenv(envNamespace), victimName)
	o.RESTConfig, o.Log = config, logr.Discard()
	if dir := os.Getenv(envReal); dir != "" {
		o.Pool = realPool(s, dir)
	}
	c, err := New(o)
	if err != nil {
		return complain(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := c.Run(ctx); err != nil {
		return complain(err)
	}
	return complain(errors.New("the victim was not killed"))
}

// sacrifice runs a victim until it has killed itself.
func sacrifice(t *testing.T, s *system, namespace string, env ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envRole+"="+roleVictim, envDir+"="+serverDir, envNamespace+"="+namespace, envLog+"="+s.file)
	if s.marks {
		cmd.Env = append(cmd.Env, envMarks+"=yes")
	}
	cmd.Env = append(cmd.Env, env...)
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("victim ended with %v: %s", err, text)
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("victim ended with %v: %s", err, text)
	}
}

// A controller is killed at each point of a create. Whoever goes on finishes the work, and it is done once.
func TestKilledDuringACreate(t *testing.T) {
	for _, point := range []string{atOpen, atObserve, atPrepare, atMarked, atCommitted} {
		for _, next := range []string{victimName, "other"} {
			for _, marks := range []bool{false, true} {
				name := strings.Join([]string{point, next, map[bool]string{false: "identity", true: "mark"}[marks]}, " ")
				t.Run(name, func(t *testing.T) {
					s, namespace := newSystem(t), namespaceOf(t)
					s.marks = marks
					job := submit(t, namespace, plan.Create)
					sacrifice(t, s, namespace, envKillAt+"="+point)
					interrupted := get(t, job)
					if interrupted.Status.Phase != v1alpha1.PhaseRunning || interrupted.Status.Controller.Instance != victimName {
						t.Fatalf("status is %s", show(interrupted))
					}
					job = survive(t, s, job, next)
					requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
					requireCalls(t, s, "create sales.orders")
					made, err := s.find("sales.orders")
					if err != nil || job.Status.Outputs[1].Value != made.Identity {
						t.Fatalf("outputs are %+v, the table is %+v (%v)", job.Status.Outputs, made, err)
					}
					if job.Status.Attempt != 2 || job.Status.Controller.Instance != next {
						t.Fatalf("status is %s", show(job))
					}
				})
			}
		}
	}
}

// survive lets another process finish a job: at once under the same name, else after the heartbeats that
// its holder has missed.
func survive(t *testing.T, s *system, job *v1alpha1.TableProvisionJob, instance string) *v1alpha1.TableProvisionJob {
	t.Helper()
	now := time.Now()
	if instance != victimName {
		early := drive(t, s, job.Namespace, instance, now)
		if after := early.pass(t, job); after <= 0 || get(t, job).Status.Controller.Instance != victimName {
			t.Fatalf("it was taken over too early: %s", show(get(t, job)))
		}
		now = now.Add(v1alpha1.HeartbeatExpiry + time.Second)
	}
	return drive(t, s, job.Namespace, instance, now).finish(t, job)
}

func TestKilledDuringAnUndo(t *testing.T) {
	for _, point := range []string{atDelete, atDeleted} {
		for _, marks := range []bool{false, true} {
			t.Run(point+map[bool]string{false: " identity", true: " mark"}[marks], func(t *testing.T) {
				s, namespace := newSystem(t), namespaceOf(t)
				s.marks = marks
				job := submit(t, namespace, plan.Create)
				sacrifice(t, s, namespace, envFailAt+"="+atCommitted, envKillAt+"="+point)
				if now := get(t, job); now.Status.Phase != v1alpha1.PhaseUndoing {
					t.Fatalf("status is %s", show(now))
				}
				job = survive(t, s, job, "other")
				requirePhase(t, job, v1alpha1.PhaseFailed, v1alpha1.ReasonFailed)
				requireError(t, job, "42501", "permission denied")
				if undoneStatus(job) != "True" {
					t.Fatalf("status is %s", show(job))
				}
				requireCalls(t, s, "create sales.orders", "drop sales.orders")
			})
		}
	}
}

func TestKilledDuringADrop(t *testing.T) {
	for _, point := range []string{atDelete, atDeleted} {
		t.Run(point, func(t *testing.T) {
			s, namespace := newSystem(t), namespaceOf(t)
			s.table(t, "it", "id", "qty")
			job := submit(t, namespace, plan.Drop)
			sacrifice(t, s, namespace, envKillAt+"="+point)
			if point == atDeleted {
				s.table(t, "successor", "id", "qty")
			}
			job = survive(t, s, job, victimName)
			requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
			want := []string{"create sales.orders", "drop sales.orders"}
			if point == atDeleted {
				want = append(want, "create sales.orders")
			}
			requireCalls(t, s, want...)
		})
	}
}

func TestKilledDuringAnAlter(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	s.table(t, "it", "id", "old")
	job := submit(t, namespace, plan.Alter, withUID("it"))
	sacrifice(t, s, namespace, envKillAt+"="+atUpdate)
	job = survive(t, s, job, "other")
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	requireCalls(t, s, "create sales.orders", "alter sales.orders")
}

// kubeconfigOf is the file by which a process reaches the control plane in dir.
func kubeconfigOf(dir string) string { return filepath.Join(dir, "kubeconfig") }
