package controller

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/provision"
)

const (
	fakeType = "fake"
	secret   = "hunter2-hunter2"
)

// Points at which a test may interfere with a call.
const (
	atOpen      = "open"
	atObserve   = "observe"
	atPrepare   = "prepare"
	atMarked    = "marked"    // the identity is kept, nothing is visible
	atCommitted = "committed" // it is visible, nobody was told
	atUpdate    = "update"
	atDelete    = "delete"
	atDeleted   = "deleted"
)

// entry is one line of the system's log: a call that had an effect. The system itself does whatever it is
// told, as often as it is told.
type entry struct {
	Op       string        `json:"op"`
	Path     string        `json:"path"`
	Identity string        `json:"identity"`
	JobID    string        `json:"job,omitempty"`
	Table    catalog.Table `json:"table"`
}

// system is an external system whose state is its append-only log of calls.
type system struct {
	file  string
	marks bool // it can hold a job's mark on an object
	// names are the steps of a create; nil means prepare, create, publish.
	names []string

	mu    sync.Mutex
	hooks map[string]func(context.Context, plan.Resource) error
	opens int
}

func newSystem(t *testing.T) *system {
	t.Helper()
	return &system{file: t.TempDir() + "/calls.log", hooks: map[string]func(context.Context, plan.Resource) error{}}
}

// on interferes at a point from now on; nil leaves it alone again.
func (s *system) on(point string, hook func(context.Context, plan.Resource) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hooks[point] = hook
}

func (s *system) reach(ctx context.Context, point string, r plan.Resource) error {
	s.mu.Lock()
	hook := s.hooks[point]
	s.mu.Unlock()
	if hook != nil {
		if err := hook(ctx, r); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return provision.Error(provision.Unavailable, "the call was cancelled").WithCause(err)
	}
	return nil
}

// do appends to the log.
func (s *system) do(e entry) error {
	f, err := os.OpenFile(s.file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

func (s *system) log() ([]entry, error) {
	text, err := os.ReadFile(s.file)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	var entries []entry
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// calls lists what was done, such as "create sales.orders".
func (s *system) calls(t *testing.T) []string {
	t.Helper()
	entries, err := s.log()
	if err != nil {
		t.Fatalf("log of the system: %v", err)
	}
	var calls []string
	for _, e := range entries {
		calls = append(calls, e.Op+" "+e.Path)
	}
	return calls
}

// find returns the object at a path, nil when there is none.
func (s *system) find(path string) (*entry, error) {
	entries, err := s.log()
	if err != nil {
		return nil, err
	}
	var found *entry
	for i, e := range entries {
		switch {
		case e.Path != path:
		case e.Op == "drop":
			found = nil
		default:
			found = &entries[i]
		}
	}
	return found, nil
}

// provisioner reaches the system as a provisioner has to: it looks before it writes.
type provisioner struct{ s *system }

func pathOf(r plan.Resource) string { return strings.Join(r.Path, ".") }

func (p provisioner) Observe(ctx context.Context, r plan.Resource) (provision.Observation, error) {
	if err := p.s.reach(ctx, atObserve, r); err != nil {
		return provision.Observation{}, err
	}
	return p.observe(r)
}

func (p provisioner) observe(r plan.Resource) (provision.Observation, error) {
	found, err := p.s.find(pathOf(r))
	if err != nil || found == nil {
		return provision.Observation{}, err
	}
	o := provision.Observation{
		Exists: true, Identity: found.Identity, Found: found.Table,
		Outputs: []provision.Output{{Name: "location", Value: "fake://" + found.Path}},
	}
	if p.s.marks {
		o.JobID = found.JobID
	}
	for _, c := range r.Table.Columns {
		if !slices.Contains(found.Table.Columns, c) {
			o.Diff = append(o.Diff, "column "+c.Name+" is missing")
		}
	}
	for _, c := range found.Table.Columns {
		if !slices.Contains(r.Table.Columns, c) {
			o.Diff, o.Destructive = append(o.Diff, "column "+c.Name+" is not in the definition"), true
		}
	}
	o.UpToDate = len(o.Diff) == 0
	return o, nil
}

func (p provisioner) Create(ctx context.Context, r plan.Resource, call provision.Call) (provision.Observation, error) {
	call.Step("prepare", false)
	if err := p.s.reach(ctx, atPrepare, r); err != nil {
		return provision.Observation{}, err
	}
	call.Step("prepare", true)
	seen, err := p.observe(r)
	if err != nil {
		return provision.Observation{}, err
	}
	if seen.Exists {
		if seen.JobID != "" && seen.JobID == r.JobID || r.Identity != "" && r.Identity == seen.Identity {
			return seen, nil
		}
		return provision.Observation{}, provision.Error(provision.Exists, "it is there")
	}
	call.Step("create", false)
	identity := uuid.NewString()
	if err := call.Marked(ctx, identity); err != nil {
		return provision.Observation{}, err
	}
	if err := p.s.reach(ctx, atMarked, r); err != nil {
		return provision.Observation{}, err
	}
	if err := p.s.do(entry{Op: "create", Path: pathOf(r), Identity: identity, JobID: r.JobID, Table: r.Table}); err != nil {
		return provision.Observation{}, err
	}
	if err := p.s.reach(context.WithoutCancel(ctx), atCommitted, r); err != nil {
		return provision.Observation{}, err
	}
	call.Step("create", true)
	call.Step("publish", false)
	call.Step("publish", true)
	return p.observe(r)
}

func (p provisioner) Update(ctx context.Context, r plan.Resource, observed provision.Observation, call provision.Call) error {
	call.Step("alter", false)
	if err := p.s.reach(ctx, atUpdate, r); err != nil {
		return err
	}
	err := p.s.do(entry{Op: "alter", Path: pathOf(r), Identity: observed.Identity, JobID: r.JobID, Table: r.Table})
	call.Step("alter", true)
	return err
}

func (p provisioner) Delete(ctx context.Context, r plan.Resource, call provision.Call) error {
	call.Step("drop", false)
	if err := p.s.reach(ctx, atDelete, r); err != nil {
		return err
	}
	seen, err := p.observe(r)
	if err != nil || !seen.Exists {
		return err
	}
	if r.Identity != "" && seen.Identity != r.Identity {
		return provision.Error(provision.Conflict, "it is another one")
	}
	if err := p.s.do(entry{Op: "drop", Path: pathOf(r), Identity: seen.Identity}); err != nil {
		return err
	}
	call.Step("drop", true)
	return p.s.reach(context.WithoutCancel(ctx), atDeleted, r)
}

func (p provisioner) Steps(action plan.Action, _ plan.Resource) []string {
	switch {
	case action == plan.Alter:
		return []string{"alter"}
	case action == plan.Drop:
		return []string{"drop"}
	case p.s.names != nil:
		return p.s.names
	}
	return []string{"prepare", "create", "publish"}
}

func (p provisioner) Close() error { return nil }

// opener opens the system; it needs its password.
type opener struct{ s *system }

func (o opener) Open(ctx context.Context, c catalog.Catalog, secrets provision.SecretResolver) (provision.Provisioner, error) {
	o.s.mu.Lock()
	o.s.opens++
	o.s.mu.Unlock()
	password, err := provision.OptionValue(ctx, c.Options, "password", "", secrets)
	if err != nil {
		return nil, err
	}
	if password != secret {
		return nil, provision.Error(provision.CannotConnect, "wrong password")
	}
	if err := o.s.reach(ctx, atOpen, plan.Resource{}); err != nil {
		return nil, err
	}
	return provisioner(o), nil
}

func (o opener) Check(_ catalog.Catalog, r plan.Resource) error {
	for _, c := range r.Table.Columns {
		if c.Type == "impossible" {
			return provision.Error(provision.InvalidType, "type of column %q is not possible", c.Name)
		}
	}
	return nil
}

func (o opener) Alteration(before, after catalog.Table) ([]string, error) {
	return catalog.LostColumns(before, after, func(string, string) bool { return false }), nil
}

func (o opener) Options() catalog.OptionSchema {
	return catalog.OptionSchema{Catalog: []catalog.OptionSpec{{Name: "host"}, {Name: "password", Secret: true}}}
}

// readOnly is a system on which nothing but Ensure is possible.
type readOnly struct{ opener }

func (readOnly) Actions() []plan.Action { return []plan.Action{plan.Ensure} }

// secretStore resolves every secret.
type secretStore struct{}

func (secretStore) Resolve(context.Context, catalog.Option) (string, error) { return secret, nil }

func newPool(s *system) *provision.Pool {
	return provision.NewPool(provision.Registry{fakeType: opener{s}, "readonly": readOnly{opener{s}}}, secretStore{})
}
