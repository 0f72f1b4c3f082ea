package controller

import (
	"context"
	"testing"
	"time"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/provision"
)

// table makes a table with the given columns.
func (s *system) table(t *testing.T, identity string, names ...string) {
	t.Helper()
	e := entry{Op: "create", Path: "sales.orders", Identity: identity, Table: catalog.Table{Columns: columns(names...)}}
	if err := s.do(e); err != nil {
		t.Fatalf("make the table: %v", err)
	}
}

// The jobs of these tests turn (id, old) into (id, qty).
func TestAlter(t *testing.T) {
	tests := map[string]struct {
		there  []string
		uid    string
		phase  v1alpha1.Phase
		reason string
		code   string
		alters int
	}{
		"altered":      {[]string{"id", "old"}, "it", v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned, "", 1},
		"as it is":     {[]string{"id", "qty"}, "it", v1alpha1.PhaseSucceeded, v1alpha1.ReasonAlreadyProvisioned, "", 0},
		"absent":       {nil, "it", v1alpha1.PhaseFailed, v1alpha1.ReasonFailed, sqlerr.UndefinedTable, 0},
		"another one":  {[]string{"id", "old"}, "other", v1alpha1.PhaseFailed, v1alpha1.ReasonFailed, sqlerr.ObjectInUse, 0},
		"would lose x": {[]string{"id", "old", "x"}, "it", v1alpha1.PhaseFailed, v1alpha1.ReasonFailed, sqlerr.ObjectNotInPrerequisiteState, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, namespace := newSystem(t), namespaceOf(t)
			want := []string(nil)
			if tt.there != nil {
				s.table(t, "it", tt.there...)
				want = append(want, "create sales.orders")
			}
			for range tt.alters {
				want = append(want, "alter sales.orders")
			}
			job := drive(t, s, namespace, "one", time.Now()).finish(t, submit(t, namespace, plan.Alter, withUID(tt.uid)))
			requirePhase(t, job, tt.phase, tt.reason)
			requireCalls(t, s, want...)
			if tt.code != "" {
				requireError(t, job, tt.code, "")
			}
		})
	}
}

// The answer to an alter is lost, and the next attempt finds it done.
func TestAlterIsDoneOnce(t *testing.T) {
	s, namespace := newSystem(t), namespaceOf(t)
	s.table(t, "it", "id", "old")
	observed := 0
	s.on(atObserve, func(context.Context, plan.Resource) error {
		if observed++; observed == 2 {
			return unavailable() // after the alter
		}
		return nil
	})
	job := drive(t, s, namespace, "one", time.Now()).finish(t, submit(t, namespace, plan.Alter, withUID("it")))
	requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
	requireCalls(t, s, "create sales.orders", "alter sales.orders")
}

func TestConsent(t *testing.T) {
	drop := v1alpha1.TableChange{Action: v1alpha1.ChangeDropColumn, Column: "old"}
	narrow := v1alpha1.TableChange{Action: v1alpha1.ChangeSetType, Column: "id", Type: "integer"}
	found := func(cs ...catalog.Column) catalog.Table { return catalog.Table{Columns: cs} }
	id, small := catalog.Column{Name: "id", Type: "bigint"}, catalog.Column{Name: "id", Type: "integer"}
	old, extra := catalog.Column{Name: "old", Type: "text"}, catalog.Column{Name: "extra", Type: "text"}
	tests := map[string]struct {
		changes []v1alpha1.TableChange
		wanted  catalog.Table
		seen    provision.Observation
		allowed bool
	}{
		"nothing is lost":   {nil, found(id, old), provision.Observation{Found: found(id)}, true},
		"drop":              {[]v1alpha1.TableChange{drop}, found(id), provision.Observation{Destructive: true, Found: found(id, old)}, true},
		"drop of another":   {[]v1alpha1.TableChange{drop}, found(id), provision.Observation{Destructive: true, Found: found(id, old, extra)}, false},
		"drop not asked":    {[]v1alpha1.TableChange{narrow}, found(id), provision.Observation{Destructive: true, Found: found(id, old)}, false},
		"narrow":            {[]v1alpha1.TableChange{narrow}, found(small), provision.Observation{Destructive: true, Found: found(id)}, true},
		"narrow another":    {[]v1alpha1.TableChange{drop}, found(small), provision.Observation{Destructive: true, Found: found(id, old)}, false},
		"destroy otherwise": {nil, found(id), provision.Observation{Destructive: true, Found: found(id)}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if err := consent(tt.changes, tt.wanted, tt.seen); (err == nil) != tt.allowed {
				t.Fatalf("consent says %v", err)
			}
		})
	}
}

func TestDrop(t *testing.T) {
	tests := map[string]struct {
		there  bool
		uid    string
		phase  v1alpha1.Phase
		reason string
		calls  []string
	}{
		"the one meant":    {true, "it", v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned, []string{"create sales.orders", "drop sales.orders"}},
		"any":              {true, "", v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned, []string{"create sales.orders", "drop sales.orders"}},
		"absent":           {false, "", v1alpha1.PhaseSucceeded, v1alpha1.ReasonAlreadyProvisioned, nil},
		"absent and known": {false, "it", v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned, nil},
		"another one":      {true, "other", v1alpha1.PhaseFailed, v1alpha1.ReasonFailed, []string{"create sales.orders"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, namespace := newSystem(t), namespaceOf(t)
			if tt.there {
				s.table(t, "it", "id")
			}
			// A definition that is not made any more does not keep a table from being dropped.
			impossible := func(j *v1alpha1.TableProvisionJob) { j.Spec.Table.Columns[0].Type = "impossible" }
			job := drive(t, s, namespace, "one", time.Now()).finish(t, submit(t, namespace, plan.Drop, withUID(tt.uid), impossible))
			requirePhase(t, job, tt.phase, tt.reason)
			requireCalls(t, s, tt.calls...)
		})
	}
}

// A drop whose answer was lost does not remove the table that somebody made in its place.
func TestDropSparesASuccessor(t *testing.T) {
	for name, uid := range map[string]string{"known": "it", "any": ""} {
		t.Run(name, func(t *testing.T) {
			s, namespace := newSystem(t), namespaceOf(t)
			s.table(t, "it", "id")
			s.on(atDeleted, func(context.Context, plan.Resource) error {
				s.table(t, "successor", "id")
				return unavailable()
			})
			job := drive(t, s, namespace, "one", time.Now()).finish(t, submit(t, namespace, plan.Drop, withUID(uid)))
			requirePhase(t, job, v1alpha1.PhaseSucceeded, v1alpha1.ReasonProvisioned)
			requireCalls(t, s, "create sales.orders", "drop sales.orders", "create sales.orders")
		})
	}
}
