package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// planVersion is the form of a saved plan.
const planVersion = 1

// savedPlan is what --save-plan writes. It holds no secret, and nothing that helps to guess one.
type savedPlan struct {
	Version    int                `json:"version"`
	Set        string             `json:"set,omitempty"`
	Prune      bool               `json:"prune,omitempty"`
	PruneData  bool               `json:"prune_data,omitempty"`
	Statements []plannedStatement `json:"statements"`
	Removals   []removal          `json:"removals,omitempty"`
}

// plannedStatement is what a plan says of a statement.
type plannedStatement struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Statement string `json:"statement"` // secrets masked
	Object    string `json:"object,omitempty"`
	Result    string `json:"result"`
	PlanHash  string `json:"plan_hash,omitempty"`
	// Observed is what the live systems showed.
	Observed []string `json:"observed,omitempty"`
}

// planOf is the plan of a rehearsal.
func (r *run) planOf() *savedPlan {
	p := &savedPlan{Version: planVersion, Set: r.options.Set, Prune: r.options.Prune, PruneData: r.options.PruneData}
	for _, res := range r.results {
		if res.removal != nil {
			p.Removals = append(p.Removals, *res.removal)
			continue
		}
		st := plannedStatement{File: res.File, Line: res.Line, Statement: res.Statement, Object: res.Object, Result: res.Result}
		if res.plan != nil && res.Result != unchanged {
			st.PlanHash, st.Observed = res.plan.Hash, res.plan.seen()
		}
		p.Statements = append(p.Statements, st)
	}
	return p
}

// seen is what the live systems show of a plan's objects.
func (e *explained) seen() []string {
	var lines []string
	for _, s := range append(append([]step{}, e.Steps...), e.AfterCommit...) {
		if o := s.Observed; o != nil {
			lines = append(lines, fmt.Sprintf("%s: %t %t %s%s", s.Step, o.Exists, o.UpToDate, strings.Join(o.Differences, "; "), o.Error))
		}
	}
	return lines
}

// savePlan writes the plan, all of it or nothing.
func (r *run) savePlan(path string) error {
	text, err := json.MarshalIndent(r.planOf(), "", "  ")
	if err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".plan-*")
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	_, err = temporary.Write(append(text, '\n'))
	if closeErr := temporary.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
		return fmt.Errorf("plan: %w", err)
	}
	return nil
}

func loadPlan(path string) (*savedPlan, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var p savedPlan
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("plan %s: %w", path, err)
	}
	if p.Version != planVersion {
		return nil, fmt.Errorf("plan %s is of version %d, this release reads version %d", path, p.Version, planVersion)
	}
	return &p, nil
}

// carryOut applies the files if all is as it was when the plan was made.
func (r *run) carryOut(ctx context.Context, p *savedPlan) error {
	if p.Set != r.options.Set || p.Prune != r.options.Prune || p.PruneData != r.options.PruneData {
		return fmt.Errorf("the plan was made with other options: --set %q, --prune %t, --prune-data %t", p.Set, p.Prune, p.PruneData)
	}
	r.quiet = true
	if err := r.rehearse(ctx); err != nil {
		return err
	}
	now := r.planOf()
	differences := p.differences(now)
	r.quiet, r.stopped, r.results, r.declared = false, false, nil, nil
	if len(differences) > 0 {
		r.refusal = changedMeanwhile(differences)
		return nil
	}
	if err := r.execute(ctx, p.Statements); err != nil || !p.Prune || r.counts[failed] > 0 {
		return err
	}
	if err := r.begin(ctx, false); err != nil {
		return err
	}
	removals, err := r.removals(ctx)
	if err != nil {
		return err
	}
	if differences := removalDifferences(p.Removals, removals); len(differences) > 0 {
		r.refusal = changedMeanwhile(differences)
		return nil
	}
	r.prune(ctx, removals)
	return nil
}

func changedMeanwhile(differences []string) *sqlerr.Error {
	return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "something has changed since the plan was made").
		WithDetail("%s", strings.Join(differences, "\n")).WithHint("Make a new plan.")
}

// differences lists what is not as it was, an object a line.
func (p *savedPlan) differences(now *savedPlan) []string {
	var lines []string
	touched, touchedNow := &targets{}, &targets{}
	for i := range max(len(p.Statements), len(now.Statements)) {
		if i >= len(p.Statements) || i >= len(now.Statements) {
			return append(lines, "the files have other statements")
		}
		was, is := p.Statements[i], now.Statements[i]
		label := fmt.Sprintf("%s:%d: %s", is.File, is.Line, is.Object)
		hash, hashNow := touched.hash(was), touchedNow.hash(is)
		switch {
		case was.Statement != is.Statement || was.File != is.File || was.Line != is.Line:
			return append(lines, fmt.Sprintf("%s:%d: another statement than in the plan", is.File, is.Line))
		case was.Result != is.Result:
			lines = append(lines, label+": "+is.Result+", was "+was.Result)
		case hash != hashNow || !slices.Equal(was.Observed, is.Observed):
			lines = append(lines, label+": not as it was")
		}
	}
	return append(lines, removalDifferences(p.Removals, now.Removals)...)
}

func removalDifferences(was, is []removal) []string {
	same := func(x, y removal) bool { return x.Kind == y.Kind && x.Name == y.Name }
	var lines []string
	for _, x := range is {
		i := slices.IndexFunc(was, func(y removal) bool { return same(x, y) })
		switch {
		case i < 0:
			lines = append(lines, "prune: "+x.Kind+" "+x.Name+": not in the plan")
		case was[i].Version != x.Version || was[i].Keep != x.Keep:
			lines = append(lines, "prune: "+x.Kind+" "+x.Name+": not as it was")
		}
	}
	for _, x := range was {
		if !slices.ContainsFunc(is, func(y removal) bool { return same(x, y) }) {
			lines = append(lines, "prune: "+x.Kind+" "+x.Name+": only in the plan")
		}
	}
	return lines
}

// catalogOf is the first part of a name in SQL.
func catalogOf(object string) string {
	quoted := false
	for i, c := range object {
		switch {
		case c == '"':
			quoted = !quoted
		case c == '.' && !quoted:
			return object[:i]
		}
	}
	return object
}
