package controller

import (
	"errors"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

// Outcomes of an attempt, for label outcome.
const (
	outcomeSucceeded   = "succeeded"
	outcomeRetried     = "retried"
	outcomeFailed      = "failed"
	outcomeCancelled   = "cancelled"
	outcomeSuspended   = "suspended"
	outcomeInterrupted = "interrupted"
	outcomeLost        = "lost"
)

// metrics counts what this instance does. Labels are bounded: types of catalog, actions, outcomes.
type metrics struct {
	attempts *prometheus.CounterVec
	duration *prometheus.HistogramVec
	jobs     *prometheus.CounterVec
}

// newMetrics registers the collectors, or finds those that another controller of the process registered.
func newMetrics(registry prometheus.Registerer) (*metrics, error) {
	labels := []string{"system", "action"}
	attempts, err1 := register(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "tablewright_provision_attempts_total",
		Help: "Attempts at provision jobs that have ended, by outcome.",
	}, append(labels, "outcome")))
	duration, err2 := register(registry, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "tablewright_provision_duration_seconds",
		Help:    "Duration of attempts at provision jobs, from the opening of the system to its last answer.",
		Buckets: prometheus.ExponentialBuckets(0.01, 4, 9),
	}, labels))
	jobs, err3 := register(registry, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "tablewright_provision_jobs_total",
		Help: "Provision jobs that have ended, by final phase.",
	}, append(labels, "phase")))
	return &metrics{attempts: attempts, duration: duration, jobs: jobs}, errors.Join(err1, err2, err3)
}

func register[C prometheus.Collector](registry prometheus.Registerer, collector C) (C, error) {
	err := registry.Register(collector)
	if twice, ok := errors.AsType[prometheus.AlreadyRegisteredError](err); ok {
		if existing, ok := twice.ExistingCollector.(C); ok {
			return existing, nil
		}
	}
	return collector, err
}

func (m *metrics) attempted(step plan.Step, outcome string, took time.Duration) {
	action := strings.ToLower(string(step.Action))
	m.attempts.WithLabelValues(step.Catalog.Type, action, outcome).Inc()
	m.duration.WithLabelValues(step.Catalog.Type, action).Observe(took.Seconds())
}

func (m *metrics) ended(job *v1alpha1.TableProvisionJob) {
	m.jobs.WithLabelValues(
		strings.TrimPrefix(job.Spec.Provisioner, v1alpha1.ProvisionerPrefix),
		strings.ToLower(string(job.Spec.Operation)),
		strings.ToLower(string(job.Status.Phase)),
	).Inc()
}
