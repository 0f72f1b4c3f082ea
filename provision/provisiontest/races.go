package provisiontest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

func testCreateConcurrent(t *testing.T, c Config) {
	const makers = 8
	b := open(t, c)
	var (
		wait     sync.WaitGroup
		made     [makers]provision.Observation
		marks    [makers]string
		failures [makers]error
	)
	ctx := b.ctx()
	for i := range makers {
		wait.Go(func() {
			call := provision.Call{Mark: func(_ context.Context, identity string) error {
				marks[i] = identity
				return nil
			}}
			made[i], failures[i] = b.Create(ctx, b.orders(), call)
		})
	}
	wait.Wait()
	winner := -1
	for i := range makers {
		if failures[i] != nil {
			b.mustFail("create that lost", failures[i], sqlerr.DuplicateTable)
			continue
		}
		if winner >= 0 {
			t.Fatalf("makers %d and %d both made the table", winner, i)
		}
		winner = i
	}
	if winner < 0 {
		t.Fatalf("nobody made the table: %v", failures)
	}
	seen := b.mustObserve(b.orders())
	if seen.Identity != made[winner].Identity || seen.Identity != marks[winner] {
		t.Fatalf("the table is %s; the winner made %s and marked %s", seen.Identity, made[winner].Identity, marks[winner])
	}
}

func testMark(t *testing.T, c Config) {
	b := open(t, c)
	other := b.reopen()
	r := b.orders()
	var marked string
	made, err := b.Create(b.ctx(), r, provision.Call{Mark: func(ctx context.Context, identity string) error {
		marked = identity
		o, err := other.Observe(ctx, r)
		if err == nil && o.Exists {
			err = errors.New("the table was visible before its identity was persisted")
		}
		return err
	}})
	if err != nil {
		t.Fatalf("create: %v", describe(err))
	}
	if marked == "" || marked != made.Identity {
		t.Fatalf("marked %q, made %q", marked, made.Identity)
	}
}

func testMarkFails(t *testing.T, c Config) {
	b := open(t, c)
	died := sqlerr.New(sqlerr.CrashShutdown, "the gateway died here")
	mark := func(context.Context, string) error { return died }
	r := b.orders()
	_, err := b.Create(b.ctx(), r, provision.Call{Mark: mark})
	b.mustFail("create whose mark fails", err, sqlerr.CrashShutdown)
	b.mustBeAbsent(r)
	schema := b.schemaResource("fresh")
	_, err = b.Create(b.ctx(), schema, provision.Call{Mark: mark})
	b.mustFail("create of a schema whose mark fails", err, sqlerr.CrashShutdown)
	b.mustBeAbsent(schema)
	b.mustCreate(r)
}

func testContextEnds(t *testing.T, c Config) {
	b := open(t, c)
	r := b.orders()
	ctx, cancel := context.WithCancel(b.ctx())
	defer cancel()
	_, err := b.Create(ctx, r, provision.Call{Mark: func(context.Context, string) error {
		cancel()
		return nil
	}})
	b.mustFail("create whose context ends before the commit", err, sqlerr.IOError)
	if !errors.Is(err, context.Canceled) || !provision.Retryable(err) {
		t.Fatalf("error %v does not tell that the context ended", err)
	}
	b.mustBeAbsent(r)
	// A call whose context has ended before it starts does nothing.
	_, err = b.Create(ctx, r, provision.Call{})
	b.mustFail("create with an ended context", err, sqlerr.IOError, sqlerr.FDWUnableToEstablish)
	b.mustBeAbsent(r)
	made := b.mustCreate(r)
	b.mustFail("delete with an ended context", b.Delete(ctx, r, provision.Call{}), sqlerr.IOError, sqlerr.FDWUnableToEstablish)
	if seen := b.mustObserve(r); seen.Identity != made.Identity {
		t.Fatalf("the table is %+v after a delete that did not begin", seen)
	}
}

// testBlocked holds something that changes must wait for, and checks that calls end with their context.
func testBlocked(t *testing.T, c Config) {
	const patience = 300 * time.Millisecond
	b := open(t, c)
	r := b.orders()
	r.Identity = b.mustCreate(r).Identity
	release, err := b.Block(b.ctx(), r.Path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.ctx(), patience)
	defer cancel()
	begun := time.Now()
	err = b.Delete(ctx, r, provision.Call{})
	took := time.Since(begun)
	b.mustFail("delete that has to wait", err, sqlerr.IOError)
	if !provision.Retryable(err) {
		t.Fatalf("error %v is not retryable", err)
	}
	if took > patience+2*time.Second {
		t.Fatalf("delete returned %s after its context ended", took-patience)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if seen := b.mustObserve(r); seen.Identity != r.Identity {
		t.Fatalf("the table is %+v after a delete that failed", seen)
	}
	if err := b.Delete(b.ctx(), r, provision.Call{}); err != nil {
		t.Fatalf("delete repeated: %v", describe(err))
	}
	b.mustBeAbsent(r)
}
