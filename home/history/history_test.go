package history_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/home/history"
	"github.com/tablewright/tablewright/home/hometest"
)

func begin(t *testing.T, r history.Record) history.Job {
	t.Helper()
	if r.Kind == "" {
		r.Kind, r.Target, r.Statement, r.Submitter = "CREATE TABLE", "kafka.orders", "create table kafka.orders (id int)", "alice"
	}
	job, joined, err := store.Begin(t.Context(), r)
	if err != nil || joined {
		t.Fatalf("begin: joined %v, %v", joined, err)
	}
	return job
}

func move(t *testing.T, id uuid.UUID, c history.Change) {
	t.Helper()
	if err := store.Transition(t.Context(), id, c); err != nil {
		t.Fatalf("transition to %s: %v", c.State, err)
	}
}

func TestRecordComesBackAsItWas(t *testing.T) {
	at := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	want := history.Record{
		JobID: uuid.Must(uuid.NewV7()), WorkKey: "key " + t.Name(), HomeXID: "4294967300", Kind: "ALTER TABLE", Target: `lake."S".t`, Targets: []string{`lake."S".t`},
		TargetUID: "u1", Statement: "alter …", StatementHash: "h", Submitter: "alice", ApplicationName: "psql", ClientAddr: "10.0.0.1",
		SessionID: "s1", Path: history.Slow, State: history.Pending, Reason: "Waiting", Cluster: "c1",
		Resource:   history.Resource{Namespace: "ns", Kind: "TableProvisionJob", Name: "n", UID: "ru", Generation: 3},
		ExternalID: "e1", Manifest: "kind: x", Plan: json.RawMessage(`{"a": 1}`), ParentJobID: uuid.Must(uuid.NewV7()),
		RetryOf: uuid.Must(uuid.NewV7()), Trigger: "t", WindowStart: at, WindowEnd: at.Add(time.Hour), Created: at,
		Holder: "g1", Lease: time.Minute,
	}
	begin(t, want)
	got, err := store.Get(t.Context(), want.JobID)
	if err != nil {
		t.Fatal(err)
	}
	if time.Until(got.LeaseExpires) < 30*time.Second {
		t.Errorf("lease expires %v", got.LeaseExpires)
	}
	got.Lease = want.Lease // not kept as such
	if diff := cmp.Diff(want, got.Record, cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	if _, err := store.Get(t.Context(), uuid.Must(uuid.NewV7())); !errors.Is(err, history.ErrNotFound) {
		t.Errorf("a job that is not there: %v", err)
	}
	if byResource, err := store.ByResource(t.Context(), "ru"); err != nil || byResource.JobID != want.JobID {
		t.Errorf("by resource: %v, %v", byResource.JobID, err)
	}
}

// Of many that ask for the same work at once, one does it; when it has ended, the next is new work.
func TestSameWorkIsJoined(t *testing.T) {
	key := history.WorkKey("CREATE TABLE", "kafka.same", "", "plan")
	var mu sync.Mutex
	first := map[uuid.UUID]int{}
	started := 0
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			job, joined, err := store.Begin(t.Context(), history.Record{WorkKey: key, Kind: "CREATE TABLE", Target: "kafka.same", Submitter: "alice"})
			if err != nil {
				t.Errorf("begin: %v", err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			first[job.JobID]++
			if !joined {
				started++
			}
		})
	}
	group.Wait()
	if len(first) != 1 || started != 1 {
		t.Fatalf("%d jobs, %d started; want one of each", len(first), started)
	}
	for id := range first {
		move(t, id, history.Change{State: history.Succeeded})
	}
	again, joined, err := store.Begin(t.Context(), history.Record{WorkKey: key, Kind: "CREATE TABLE", Target: "kafka.same", Submitter: "alice"})
	if err != nil || joined || first[again.JobID] != 0 {
		t.Errorf("after its end: joined %v, %v", joined, err)
	}
	if a, b := history.WorkKey("a", "bc", "", ""), history.WorkKey("ab", "c", "", ""); a == b {
		t.Error("keys of different work are equal")
	}
}

func TestBeginAllIsAllOrNone(t *testing.T) {
	id := uuid.Must(uuid.NewV7())
	_, _, err := store.BeginAll(t.Context(), []history.Record{
		{JobID: id, Kind: "CREATE TABLE", Target: "kafka.a", Submitter: "alice"},
		{Kind: "CREATE TABLE", Target: "kafka.b", Submitter: "alice", State: "nonsense"},
	})
	if hometest.Code(err) != "23514" {
		t.Fatalf("%v, want 23514", err)
	}
	if _, err := store.Get(t.Context(), id); !errors.Is(err, history.ErrNotFound) {
		t.Errorf("the first job: %v", err)
	}
}

func TestFinalStatesNeverChange(t *testing.T) {
	for _, final := range []history.State{history.Succeeded, history.Failed, history.Cancelled, history.UndoFailed} {
		job := begin(t, history.Record{})
		move(t, job.JobID, history.Change{State: history.Running})
		move(t, job.JobID, history.Change{State: final, Failure: &history.Failure{Code: "58030", Message: "no"}})
		move(t, job.JobID, history.Change{State: final}) // told twice
		var ended *history.FinalError
		if err := store.Transition(t.Context(), job.JobID, history.Change{State: history.Running}); !errors.As(err, &ended) || ended.State != final {
			t.Errorf("from %s: %v", final, err)
		}
		_, err := shared.Pool().Exec(t.Context(), "update tablewright.job set state = 'running' where job_id = $1", job.JobID)
		if hometest.Code(err) != "55000" {
			t.Errorf("update by hand from %s: %v, want 55000", final, err)
		}
		got, err := store.Get(t.Context(), job.JobID)
		if err != nil || got.State != final || got.Finished.IsZero() || got.Failure.Code != "58030" {
			t.Errorf("job %+v, %v", got, err)
		}
		if err := store.SetProgress(t.Context(), job.JobID, history.Progress{Done: 1, Total: 2}); err != nil {
			t.Error(err)
		}
		if after, err := store.Get(t.Context(), job.JobID); err != nil || after.Progress.Total != 0 {
			t.Errorf("progress after the end: %+v, %v", after.Progress, err)
		}
	}
}

func TestTransitionWritesEventsOnce(t *testing.T) {
	job := begin(t, history.Record{})
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for range 3 {
		move(t, job.JobID, history.Change{State: history.Running, Reason: "Started", Message: "go", Key: "r1", At: at, Attempt: 1})
	}
	move(t, job.JobID, history.Change{State: history.Running, Attempt: 2, Resource: history.Resource{UID: "u2"}, Progress: &history.Progress{Done: 1, Total: 4, Text: "creating table"}})
	move(t, job.JobID, history.Change{State: history.Failed, Failure: &history.Failure{Code: "58030", Message: "broken", Detail: "D."}})
	if err := store.Transition(t.Context(), job.JobID, history.Change{State: history.Running, Key: "r1"}); err != nil {
		t.Errorf("an old report told again: %v", err)
	}
	events, err := store.Events(t.Context(), job.JobID)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range events {
		got = append(got, fmt.Sprintf("%d %s>%s %s %s", e.Attempt, e.From, e.To, e.Reason, e.Message))
	}
	want := []string{"1 >queued  ", "1 queued>running Started go", "2 running>running  ", "2 running>failed  "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if !events[1].At.Equal(at) {
		t.Errorf("event at %v, want the resource's time", events[1].At)
	}
	now, err := store.Get(t.Context(), job.JobID)
	if err != nil {
		t.Fatal(err)
	}
	if !now.Started.Equal(at) || now.Attempt != 2 || now.Version != 4 || now.Progress.String() != "1 of 4 steps, creating table" {
		t.Errorf("job %+v", now)
	}
	var attempts string
	err = shared.Pool().QueryRow(t.Context(), `select string_agg(concat_ws(' ', attempt, resource_uid, state, finished is not null, error_code), ', ' order by attempt)
		from tablewright.job_attempt where job_id = $1`, job.JobID).Scan(&attempts)
	if want := "1  running f, 2 u2 failed t 58030"; err != nil || attempts != want {
		t.Errorf("attempts %q, want %q (%v)", attempts, want, err)
	}
}

func TestStaleWritersAreRefused(t *testing.T) {
	job := begin(t, history.Record{Holder: "g1", Lease: time.Minute})
	move(t, job.JobID, history.Change{State: history.Running, Version: job.Version, Holder: "g1", Attempt: 3})
	for name, c := range map[string]struct {
		change history.Change
		want   error
	}{
		"version": {history.Change{State: history.Succeeded, Version: job.Version}, history.ErrStale},
		"attempt": {history.Change{State: history.Succeeded, Attempt: 2}, history.ErrStale},
		"holder":  {history.Change{State: history.Succeeded, Holder: "g2"}, history.ErrLeaseLost},
	} {
		if err := store.Transition(t.Context(), job.JobID, c.change); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if err := store.Transition(t.Context(), uuid.Must(uuid.NewV7()), history.Change{State: history.Running}); !errors.Is(err, history.ErrNotFound) {
		t.Errorf("no such job: %v", err)
	}
}

func TestLeases(t *testing.T) {
	ctx := t.Context()
	job := begin(t, history.Record{Holder: "g1", Lease: time.Hour})
	take := func(holder string, d time.Duration) bool {
		t.Helper()
		ok, err := store.TakeLease(ctx, job.JobID, holder, d)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	expired := func() bool {
		t.Helper()
		jobs, err := store.Expired(ctx, 1000)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(jobs, func(j history.Job) bool { return j.JobID == job.JobID })
	}
	if take("g2", time.Hour) || expired() {
		t.Error("a held job was taken")
	}
	if !take("g1", -time.Second) || !expired() {
		t.Error("the holder could not set its lease back")
	}
	if !take("g2", time.Hour) || expired() || take("g1", time.Hour) {
		t.Error("a job whose lease had run out was not taken, or not held")
	}
	if ids, err := store.Renew(ctx, "g1", time.Hour); err != nil || slices.Contains(ids, job.JobID) {
		t.Errorf("the former holder renewed %v, %v", ids, err)
	}
	if ids, err := store.Renew(ctx, "g2", time.Hour); err != nil || !slices.Contains(ids, job.JobID) {
		t.Errorf("the holder renewed %v, %v", ids, err)
	}
	if err := store.Release(ctx, job.JobID, "g2"); err != nil || !expired() {
		t.Errorf("after the release: %v", err)
	}
	if jobs, err := store.Unfinished(ctx, 1000); err != nil || !slices.ContainsFunc(jobs, func(j history.Job) bool { return j.JobID == job.JobID }) {
		t.Errorf("not among the unfinished: %v", err)
	}
	move(t, job.JobID, history.Change{State: history.Cancelled})
	if take("g3", time.Hour) || expired() {
		t.Error("a job that has ended was taken")
	}
}

// A transaction that holds one job's row keeps no other lease waiting.
func TestRenewPassesByWhatIsLocked(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	held := begin(t, history.Record{Holder: "busy", Lease: time.Hour})
	free := begin(t, history.Record{Holder: "busy", Lease: time.Hour})
	tx, err := shared.Pool().Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, "update tablewright.job set reason = reason where job_id = $1", held.JobID); err != nil {
		t.Fatal(err)
	}
	if ids, err := store.Renew(ctx, "busy", time.Hour); err != nil || !slices.Equal(ids, []uuid.UUID{free.JobID}) {
		t.Errorf("renewed %v, %v, want %s alone", ids, err, free.JobID)
	}
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	if ids, err := store.Renew(ctx, "busy", time.Hour); err != nil || len(ids) != 2 {
		t.Errorf("renewed %v, %v, want both", ids, err)
	}
}

func TestListPages(t *testing.T) {
	ctx := t.Context()
	submitter := "lister"
	base := time.Now().Add(-time.Hour).Truncate(time.Second)
	var want []uuid.UUID
	for i := range 25 {
		job := begin(t, history.Record{
			Kind: "CREATE TABLE", Target: fmt.Sprintf("kafka.t%d", i%5), Statement: "create Näme", Submitter: submitter,
			Created: base.Add(time.Duration(i/2) * time.Second),
		}) // pairs of the same time
		want = append(want, job.JobID)
	}
	old := begin(t, history.Record{Kind: "DROP TABLE", Target: "kafka.old", Submitter: submitter, Created: time.Now().Add(-8 * 24 * time.Hour)})
	slices.Reverse(want)
	var got []uuid.UUID
	filter := history.Filter{Submitter: submitter, Limit: 4}
	for pages := 0; ; pages++ {
		jobs, next, err := store.List(ctx, filter)
		if err != nil || len(jobs) > 4 || pages > 10 {
			t.Fatalf("page %d: %d jobs, %v", pages, len(jobs), err)
		}
		for _, j := range jobs {
			got = append(got, j.JobID)
		}
		if filter.After = next; next == nil {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	for name, c := range map[string]struct {
		filter history.Filter
		want   int
	}{
		"target": {history.Filter{Target: "kafka.t1"}, 5},
		"kind":   {history.Filter{Kind: "DROP TABLE", From: time.Now().Add(-30 * 24 * time.Hour)}, 1},
		"state":  {history.Filter{States: []history.State{history.Failed}}, 0},
		"states": {history.Filter{States: []history.State{history.Failed, history.Queued}}, 25},
		"text":   {history.Filter{Text: "NÄME"}, 25},
		"window": {history.Filter{From: base, To: base.Add(2 * time.Second)}, 4},
		"to":     {history.Filter{To: old.Created.Add(time.Second)}, 1},
	} {
		c.filter.Submitter = submitter
		jobs, _, err := store.List(ctx, c.filter)
		if err != nil || len(jobs) != c.want {
			t.Errorf("%s: %d jobs, want %d (%v)", name, len(jobs), c.want, err)
		}
	}
}

func TestXactStatus(t *testing.T) {
	ctx := t.Context()
	status := func(xid string) history.XactStatus {
		t.Helper()
		s, err := store.XactStatus(ctx, xid)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	run := func(end func(pgx.Tx) error) string {
		tx, err := shared.Pool().Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var xid string
		if err := tx.QueryRow(ctx, "select pg_current_xact_id()::text").Scan(&xid); err != nil {
			t.Fatal(err)
		}
		if got := status(xid); got != history.InProgress {
			t.Errorf("open: %s", got)
		}
		if err := end(tx); err != nil {
			t.Fatal(err)
		}
		return xid
	}
	if got := status(run(func(tx pgx.Tx) error { return tx.Commit(ctx) })); got != history.Committed {
		t.Errorf("after commit: %s", got)
	}
	if got := status(run(func(tx pgx.Tx) error { return tx.Rollback(ctx) })); got != history.Aborted {
		t.Errorf("after rollback: %s", got)
	}
	killed := run(func(tx pgx.Tx) error {
		_, err := shared.Pool().Exec(ctx, "select pg_terminate_backend($1, 5000)", tx.Conn().PgConn().PID())
		_ = tx.Rollback(ctx)
		return err
	})
	if got := status(killed); got != history.Aborted {
		t.Errorf("after the end of the backend: %s", got)
	}
	if got := status("99999999999"); got != history.Unknown {
		t.Errorf("still to come: %s", got)
	}
	if _, err := store.XactStatus(ctx, "x"); err == nil {
		t.Error("nonsense is accepted")
	}
}

// A waiter hears of each change, and is told to look again when its connection is new.
func TestWatch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	heard := make(chan uuid.UUID, 100)
	ended := make(chan error, 1)
	go func() { ended <- store.Watch(ctx, func(id uuid.UUID) { heard <- id }, nil) }()
	await := func(want uuid.UUID) {
		t.Helper()
		timeout := time.After(10 * time.Second)
		for {
			select {
			case id := <-heard:
				if id == want {
					return
				}
			case <-timeout:
				t.Fatalf("nothing heard of %v", want)
			}
		}
	}
	await(uuid.Nil)
	job := begin(t, history.Record{})
	await(job.JobID)
	move(t, job.JobID, history.Change{State: history.Running})
	await(job.JobID)
	if _, err := shared.Pool().Exec(ctx, "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and pid <> pg_backend_pid()"); err != nil {
		t.Fatal(err)
	}
	await(uuid.Nil)
	move(t, job.JobID, history.Change{State: history.Succeeded})
	await(job.JobID)
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("end of the watch: %v", err)
	}
}

func TestRetention(t *testing.T) {
	ctx := t.Context()
	finished := begin(t, history.Record{Created: time.Now().Add(-40 * 24 * time.Hour)})
	move(t, finished.JobID, history.Change{State: history.Failed, At: time.Now().Add(-31 * 24 * time.Hour)})
	recent := begin(t, history.Record{Created: time.Now().Add(-40 * 24 * time.Hour)})
	move(t, recent.JobID, history.Change{State: history.Failed})
	running := begin(t, history.Record{Created: time.Now().Add(-40 * 24 * time.Hour)})
	if n, err := store.DeleteOld(ctx, 30*24*time.Hour); err != nil || n != 1 {
		t.Errorf("deleted %d, %v; want 1", n, err)
	}
	if _, err := store.Get(ctx, finished.JobID); !errors.Is(err, history.ErrNotFound) {
		t.Errorf("the old one: %v", err)
	}
	for _, id := range []uuid.UUID{recent.JobID, running.JobID} {
		if _, err := store.Get(ctx, id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// The history is written while a user's transaction holds the very objects that it speaks of.
func TestWritesDoNotWaitForUsers(t *testing.T) {
	admin := hometest.Connect(t, shared, "admin")
	if _, err := admin.Run(t.Context(), "begin; create table public.held (a int); lock table public.held"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	job, _, err := store.Begin(ctx, history.Record{Kind: "CREATE TABLE", Target: "public.held", Submitter: "admin"})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Transition(ctx, job.JobID, history.Change{State: history.Succeeded}); err != nil {
		t.Fatal(err)
	}
	if rows, err := admin.Run(ctx, "select state from tablewright.jobs where job_id = '"+job.JobID.String()+"'"); err != nil || !slices.Equal(rows, []string{"succeeded"}) {
		t.Errorf("seen from the open transaction: %v, %v", rows, err)
	}
}

func TestWhoSeesWhat(t *testing.T) {
	ctx := t.Context()
	if _, err := shared.Pool().Exec(ctx, "create role hist_alice login; create role hist_bob login; grant hist_alice to hist_bob"); err != nil {
		t.Fatal(err)
	}
	secret := begin(t, history.Record{
		Kind: "CREATE TABLE", Target: "kafka.seen", Statement: "create table kafka.seen ()", Submitter: "hist_alice",
		State: history.Running, Resource: history.Resource{Namespace: "default", Kind: "TableProvisionJob", Name: "x"},
	})
	move(t, secret.JobID, history.Change{
		State: history.Failed, Reason: "Broken", Message: "oh", Progress: &history.Progress{Done: 1, Total: 2},
		Failure: &history.Failure{Code: "58030", Message: "no"},
	})
	id := secret.JobID.String()
	count := "select (select count(*) from tablewright.jobs where job_id = '" + id + "') + (select count(*) from tablewright.job_events where job_id = '" + id +
		"') + (select count(*) from tablewright.job_attempts where job_id = '" + id + "') + (select count(*) from tablewright.show_jobs where job_id = '" + id +
		"') + (select count(*) from tablewright.show_job('" + id + "'))"
	for user, want := range map[string]string{"hist_alice": "6", "hist_bob": "0", "admin": "6"} {
		s := hometest.Connect(t, shared, user)
		if rows, err := s.Run(ctx, count); err != nil || !slices.Equal(rows, []string{want}) {
			t.Errorf("%s sees %v, want %s (%v)", user, rows, want, err)
		}
	}
	bob := hometest.Connect(t, shared, "hist_bob")
	if rows, err := bob.Run(ctx, "set role hist_alice; "+count); err != nil || !slices.Equal(rows, []string{"0"}) {
		t.Errorf("SET ROLE shows %v, %v", rows, err)
	}
	leak := `create function pg_temp.leak(text) returns boolean language plpgsql cost 0.0001 as $$begin raise notice '%', $1; return true; end$$;
		select count(*) from tablewright.jobs where pg_temp.leak(statement)`
	if rows, err := bob.Run(ctx, "reset role; "+leak); err != nil || !slices.Equal(rows, []string{"0"}) {
		t.Errorf("%v, %v", rows, err)
	}
	if _, err := bob.Run(ctx, "select * from tablewright.job"); hometest.Code(err) != "42501" {
		t.Errorf("the table itself: %v, want 42501", err)
	}
	alice := hometest.Connect(t, shared, "hist_alice")
	rows, err := alice.Run(ctx, "select kind, target, state, path, progress, submitter, error from tablewright.show_jobs where job_id = '"+id+"'")
	if want := []string{"CREATE TABLE|kafka.seen|failed|fast|1 of 2 steps|hist_alice|58030: no"}; err != nil || !slices.Equal(rows, want) {
		t.Errorf("SHOW JOBS: %v, %v", rows, err)
	}
	rows, err = alice.Run(ctx, "select reason, resource, events from tablewright.show_job('"+id+"')")
	if err != nil || len(rows) != 1 || !strings.HasPrefix(rows[0], "Broken|TableProvisionJob default/x|") || !strings.HasSuffix(rows[0], "Z failed Broken oh") {
		t.Errorf("SHOW JOB: %q, %v", rows, err)
	}
}

func TestLongTextIsCut(t *testing.T) {
	long := strings.Repeat("é", history.StatementMax)
	job := begin(t, history.Record{Kind: "CREATE TABLE", Target: "kafka.long", Submitter: "alice", Statement: long + "x", Manifest: "a\x00b"})
	if len(job.Statement) > history.StatementMax || !utf8.ValidString(job.Statement) || !strings.HasSuffix(job.Statement, "é…") {
		t.Errorf("%d bytes, valid %v", len(job.Statement), utf8.ValidString(job.Statement))
	}
	if job.Manifest != "a" {
		t.Errorf("manifest %q", job.Manifest)
	}
}
