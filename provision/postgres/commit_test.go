package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

func orders(columns ...catalog.Column) plan.Resource {
	if len(columns) == 0 {
		columns = []catalog.Column{{Name: "id", Type: "integer"}}
	}
	name := catalog.Name{Catalog: "pg", Schema: "public", Table: "orders"}
	return plan.Resource{
		Kind: plan.TableKind, Name: name, Path: name.Path(), JobID: uuid.NewString(),
		Table: catalog.Table{Name: name, Columns: columns},
	}
}

func isCommit(b []byte) bool { return bytes.Contains(b, []byte("COMMIT\x00")) }

// The server gets COMMIT, and its answer is lost.
func TestCommitAnswerLost(t *testing.T) {
	s := newSystem(t)
	p := s.open(t, s.Catalog)
	r := orders()
	cuts := 0
	s.proxy.Watch(func(b []byte) bool {
		if !isCommit(b) {
			return false
		}
		cuts++
		return true
	})
	var marked string
	made, err := p.Create(t.Context(), r, provision.Call{Mark: func(_ context.Context, id string) error { marked = id; return nil }})
	if err != nil {
		t.Fatalf("create whose COMMIT took place: %v", err)
	}
	if cuts != 1 || made.Identity != marked {
		t.Fatalf("%d connections were cut; made %s, marked %s", cuts, made.Identity, marked)
	}
	r.Identity = marked
	if err := p.Delete(t.Context(), r, provision.Call{}); err != nil {
		t.Fatalf("delete whose COMMIT took place: %v", err)
	}
	if o, err := p.Observe(t.Context(), r); err != nil || o.Exists {
		t.Fatalf("after the delete: %+v, %v", o, err)
	}
}

// The connection breaks before COMMIT reaches the server.
func TestCommitNotDelivered(t *testing.T) {
	s := newSystem(t)
	p := s.open(t, s.Catalog)
	r := orders()
	s.proxy.Watch(func(b []byte) bool {
		if isCommit(b) {
			s.proxy.Watch(nil)
			s.proxy.Cut()
		}
		return false
	})
	_, err := p.Create(t.Context(), r, provision.Call{})
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code != sqlerr.IOError || !provision.Retryable(err) {
		t.Fatalf("create whose COMMIT did not take place: %v", err)
	}
	if o, err := p.Observe(t.Context(), r); err != nil || o.Exists {
		t.Fatalf("after the failed create: %+v, %v", o, err)
	}
	if _, err := p.Create(t.Context(), r, provision.Call{}); err != nil {
		t.Fatalf("create repeated: %v", err)
	}
}

// The network stands still during COMMIT: the call ends with its context and does not claim to know.
func TestCommitFrozen(t *testing.T) {
	s := newSystem(t)
	p := s.open(t, s.Catalog)
	r := orders()
	s.proxy.Watch(func(b []byte) bool {
		if isCommit(b) {
			s.proxy.Watch(nil)
			s.proxy.Freeze()
		}
		return false
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	begun := time.Now()
	_, err := p.Create(ctx, r, provision.Call{})
	took := time.Since(begun)
	s.proxy.Thaw()
	if err == nil || !provision.Retryable(err) || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("create over a frozen network: %v", err)
	}
	if took > 3*time.Second {
		t.Fatalf("create took %s with a second to go", took)
	}
}

// A maker whose COMMIT is still under way is not taken for absent by the one who undoes it.
func TestDeleteWaitsForItsMaker(t *testing.T) {
	s := newSystem(t)
	p := s.open(t, s.Catalog)
	ctx := t.Context()
	maker, err := server.Connect(ctx, s.database)
	if err != nil {
		t.Fatal(err)
	}
	defer maker.Close(ctx)
	for _, statement := range []string{"BEGIN", "CREATE TABLE public.orders (id integer)"} {
		if _, err := maker.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	r := orders()
	err = maker.QueryRow(ctx, "SELECT oid::text || ':' || xmin::text FROM pg_class WHERE relname = 'orders'").Scan(&r.Identity)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	if err := p.Delete(short, r, provision.Call{}); !provision.Retryable(err) || err == nil {
		t.Fatalf("delete while the maker runs: %v", err)
	}
	deleted := make(chan error, 1)
	go func() { deleted <- p.Delete(ctx, r, provision.Call{}) }()
	if _, err := maker.Exec(ctx, "COMMIT"); err != nil {
		t.Fatal(err)
	}
	if err := <-deleted; err != nil {
		t.Fatalf("delete: %v", err)
	}
	if o, err := p.Observe(ctx, r); err != nil || o.Exists {
		t.Fatalf("after the delete: %+v, %v", o, err)
	}
}

// The connection breaks at every message that the gateway sends: afterwards the table is there, with
// the marked identity, exactly when Create said so, or when it said that it cannot know.
func TestConnectionBreaksAnywhere(t *testing.T) {
	s := newSystem(t)
	for _, delivered := range []bool{false, true} {
		for at := 1; at <= 12; at++ {
			breakAt(t, s, at, delivered)
		}
	}
}

func breakAt(t *testing.T, s *system, at int, delivered bool) {
	t.Helper()
	p := s.open(t, s.Catalog)
	r := orders()
	sent := 0
	s.proxy.Watch(func([]byte) bool {
		sent++
		if sent != at {
			return false
		}
		if !delivered {
			s.proxy.Cut()
		}
		return delivered
	})
	var marked string
	made, err := p.Create(t.Context(), r, provision.Call{Mark: func(_ context.Context, id string) error { marked = id; return nil }})
	s.proxy.Watch(nil)
	// A session that was cut off takes a moment to roll back.
	r.Identity = marked
	o, seen := p.Observe(t.Context(), r)
	if seen != nil {
		t.Fatalf("break at message %d: observe: %v", at, seen)
	}
	switch {
	case err == nil && (!o.Exists || o.Identity != marked || made.Identity != marked):
		t.Fatalf("break at message %d (delivered: %t): created %s, marked %s, but seen %+v", at, delivered, made.Identity, marked, o)
	case err != nil && o.Exists && o.Identity != marked:
		t.Fatalf("break at message %d (delivered: %t): %v, and a table nobody marked: %+v", at, delivered, err, o)
	case err != nil && !provision.Retryable(err):
		t.Fatalf("break at message %d (delivered: %t): %v is not retryable", at, delivered, err)
	}
	if _, err := p.Create(t.Context(), r, provision.Call{}); err != nil {
		t.Fatalf("create repeated after break at message %d (delivered: %t): %v", at, delivered, err)
	}
	r.Identity = ""
	if err := p.Delete(t.Context(), r, provision.Call{}); err != nil {
		t.Fatalf("delete: %v", err)
	}
}
