package history_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/home/history"
)

// tracesQuery is all that the history holds of a job but its id and its times, whose presence counts.
const tracesQuery = `select jsonb_pretty(jsonb_build_object(
	'job', (select to_jsonb(j) - '{job_id,work_key,created,queued,started,updated,finished,lease_expires}'::text[]
		|| jsonb_build_object('started', j.started is not null, 'finished', j.finished is not null) from tablewright.job j where j.job_id = $1),
	'events', (select jsonb_agg(to_jsonb(e) - '{job_id,event_id,at}'::text[] order by e.event_id) from tablewright.job_event e where e.job_id = $1),
	'attempts', (select jsonb_agg(to_jsonb(a) - '{job_id,started,finished}'::text[] || jsonb_build_object('started', a.started is not null,
		'finished', a.finished is not null) order by a.attempt, a.resource_uid) from tablewright.job_attempt a where a.job_id = $1)))`

func traces(t *testing.T, id uuid.UUID) string {
	t.Helper()
	var text string
	if err := shared.Pool().QueryRow(t.Context(), tracesQuery, id).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

func succeed(ctx context.Context, q interface {
	QueryRow(context.Context, string, ...any) pgx.Row
}, id uuid.UUID, identity string,
) (ended bool, err error) {
	err = q.QueryRow(ctx, "select tablewright.succeed_job($1, $2)", id, identity).Scan(&ended)
	return ended, err
}

// A job that ends in somebody's transaction leaves the same behind as one that the store ends.
func TestSucceedJobIsATransition(t *testing.T) {
	for name, before := range map[string][]history.Change{
		"at once":         nil,
		"marked":          {{State: history.Running, TargetUID: "16400:731", Key: "mark 16400:731"}},
		"tried before":    {{State: history.Running, Reason: "Retrying", Message: "no answer", Key: "retrying", Failure: &history.Failure{Code: "58030", Message: "no answer"}}},
		"second attempt":  {{State: history.Running, Attempt: 1}, {State: history.Running, Attempt: 2}},
		"with a resource": {{State: history.Running, Resource: history.Resource{Namespace: "n", Kind: "TableProvisionJob", Name: "x", UID: "u-" + t.Name(), Generation: 1}}},
		"being cancelled": {{State: history.Cancelling, Reason: "asked"}},
	} {
		for _, identity := range []string{"", "16400:731"} {
			t.Run(name+" "+identity, func(t *testing.T) {
				one, other := begin(t, history.Record{State: history.Running}), begin(t, history.Record{State: history.Running})
				for _, c := range before {
					move(t, one.JobID, c)
					move(t, other.JobID, c)
				}
				move(t, one.JobID, history.Change{State: history.Succeeded, TargetUID: identity, Failure: &history.Failure{}})
				if ended, err := succeed(t.Context(), shared.Pool(), other.JobID, identity); err != nil || !ended {
					t.Fatalf("ended %v, %v", ended, err)
				}
				if diff := cmp.Diff(traces(t, one.JobID), traces(t, other.JobID)); diff != "" {
					t.Errorf("-store +function:\n%s", diff)
				}
			})
		}
	}
}

// What cannot be ended is told, and stays as it is.
func TestSucceedJobTellsWhatItCannotEnd(t *testing.T) {
	failed := begin(t, history.Record{State: history.Running})
	move(t, failed.JobID, history.Change{State: history.Failed, Failure: &history.Failure{Code: "40000", Message: "no"}})
	was := traces(t, failed.JobID)
	for _, id := range []uuid.UUID{failed.JobID, uuid.Must(uuid.NewV7())} {
		if ended, err := succeed(t.Context(), shared.Pool(), id, "x"); err != nil || ended {
			t.Errorf("%s: ended %v, %v", id, ended, err)
		}
	}
	if diff := cmp.Diff(was, traces(t, failed.JobID)); diff != "" {
		t.Errorf("a job that had ended (-before +after):\n%s", diff)
	}
	// Nobody is waited for.
	held := begin(t, history.Record{State: history.Running})
	err := pgx.BeginFunc(t.Context(), shared.Pool(), func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), "select from tablewright.job where job_id = $1 for update", held.JobID); err != nil {
			return err
		}
		ended, err := succeed(t.Context(), shared.Pool(), held.JobID, "x")
		if ended {
			t.Error("ended a job that another transaction holds")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	// A snapshot that is older than the job does not see it.
	err = pgx.BeginTxFunc(t.Context(), shared.Pool(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), "select 1 from tablewright.job limit 1"); err != nil {
			return err
		}
		late := begin(t, history.Record{State: history.Running})
		ended, err := succeed(t.Context(), tx, late.JobID, "x")
		if ended {
			t.Error("ended a job that the transaction cannot see")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
