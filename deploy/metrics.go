package deploy

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tablewright/tablewright/ddl/plan"
)

// metrics count the steps that this gateway takes itself.
type metrics struct {
	steps    *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

func newMetrics(r prometheus.Registerer) *metrics {
	m := &metrics{
		steps: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tablewright_plan_steps_total", Help: "Steps taken inline, by their outcome.",
		}, []string{"system", "action", "outcome"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "tablewright_provision_duration_seconds", Help: "Time of a step taken inline.",
		}, []string{"system", "action"}),
	}
	if r != nil {
		r.MustRegister(m.steps, m.duration)
	}
	return m
}

func (m *metrics) step(s plan.Step, err error, d time.Duration) {
	outcome := "done"
	if err != nil {
		outcome = "failed"
	}
	m.steps.WithLabelValues(s.Catalog.Type, string(s.Action), outcome).Inc()
	m.duration.WithLabelValues(s.Catalog.Type, string(s.Action)).Observe(d.Seconds())
}
