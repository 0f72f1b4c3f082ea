package history

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Store reads and writes the history on the gateway's own pool. It is safe for concurrent use.
type Store struct{ pool *pgxpool.Pool }

// New returns the store of a home database's pool.
func New(pool *pgxpool.Pool) *Store { return &Store{pool: pool} }

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// joinTries bounds how often a job that ends while it is being joined is looked for again.
const joinTries = 5

// Begin records a job, or returns the unfinished one with the same work key (joined). When it returns
// without an error the record is committed.
func (s *Store) Begin(ctx context.Context, r Record) (job Job, joined bool, err error) {
	return begin(ctx, s.pool, r)
}

// BeginAll records the jobs of one COMMIT together: all or none. joined tells for each whether it was
// running already.
func (s *Store) BeginAll(ctx context.Context, records []Record) (jobs []Job, joined []bool, err error) {
	if len(records) == 1 { // one statement is a transaction of its own
		job, other, err := s.Begin(ctx, records[0])
		return []Job{job}, []bool{other}, err
	}
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		jobs, joined = make([]Job, len(records)), make([]bool, len(records))
		for i, r := range records {
			var err error
			if jobs[i], joined[i], err = begin(ctx, tx, r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return jobs, joined, nil
}

func begin(ctx context.Context, q querier, r Record) (Job, bool, error) {
	if err := r.complete(); err != nil {
		return Job{}, false, err
	}
	for range joinTries {
		job, err := insert(ctx, q, r)
		if err == nil {
			return job, false, nil
		}
		if !errors.Is(err, ErrNotFound) {
			return Job{}, false, err
		}
		job, err = one(ctx, q, "where job_id = $1 or (work_key = $2 and not ended) order by job_id = $1 desc limit 1",
			r.JobID, r.WorkKey)
		if err == nil {
			return job, true, nil
		}
		if !errors.Is(err, ErrNotFound) {
			return Job{}, false, err
		}
		// It ended in between; now there is room for a new one.
	}
	return Job{}, false, fmt.Errorf("record of the job: %w", ErrStale)
}

// complete fills in what has a default and cuts what is too long.
func (r *Record) complete() error {
	if r.JobID == uuid.Nil {
		id, err := uuid.NewV7()
		if err != nil {
			return fmt.Errorf("id of the job: %w", err)
		}
		r.JobID = id
	}
	if r.Path == "" {
		r.Path = Fast
	}
	if r.State == "" {
		r.State = Queued
	}
	if len(r.Targets) == 0 {
		r.Targets = []string{r.Target}
	}
	r.Statement = clip(r.Statement, StatementMax)
	r.Manifest = clip(r.Manifest, ManifestMax)
	return nil
}

// insert returns ErrNotFound when a job with the same id or work key is in the way.
func insert(ctx context.Context, q querier, r Record) (Job, error) {
	return one(ctx, q, `with job as (
			insert into tablewright.job (job_id, work_key, home_xid, kind, target, target_uid, statement,
				statement_hash, submitter, application_name, client_addr, session_id, path, state, reason, cluster,
				namespace, resource_kind, resource_name, resource_uid, resource_generation, external_id, manifest,
				plan, parent_job_id, retry_of, trigger, window_start, window_end, created, queued, started, finished,
				lease_holder, lease_expires, targets)
			values ($1, nullif($2, ''), nullif($3, '')::text::xid8, $4, $5, nullif($6, ''), $7,
				nullif($8, ''), $9, nullif($10, ''), nullif($11, ''), nullif($12, ''), $13, $14, nullif($15, ''), nullif($16, ''),
				nullif($17, ''), nullif($18, ''), nullif($19, ''), nullif($20, ''), nullif($21, 0::bigint), nullif($22, ''), nullif($23, ''),
				$24, $25, $26, nullif($27, ''), $28, $29, coalesce($30, now()),
				case when $14 = 'queued' then coalesce($30, now()) end,
				case when $14 = 'running' then coalesce($30, now()) end,
				case when $14 in ('succeeded', 'failed', 'cancelled', 'undo_failed') then coalesce($30, now()) end,
				nullif($31, ''), case when $31 <> '' then now() + $32 end, $33)
			on conflict do nothing returning *
		), event as (
			insert into tablewright.job_event (job_id, key, attempt, to_state, reason, at)
			select job_id, 'begin', 1, state, reason, created from job
		)`,
		r.JobID, r.WorkKey, r.HomeXID, r.Kind, r.Target, r.TargetUID, r.Statement, r.StatementHash, r.Submitter,
		r.ApplicationName, r.ClientAddr, r.SessionID, r.Path, string(r.State), r.Reason, r.Cluster, r.Resource.Namespace,
		r.Resource.Kind, r.Resource.Name, r.Resource.UID, r.Resource.Generation, r.ExternalID, r.Manifest,
		r.Plan, orNull(r.ParentJobID), orNull(r.RetryOf), r.Trigger, orNull(r.WindowStart), orNull(r.WindowEnd),
		orNull(r.Created), r.Holder, r.Lease, r.Targets)
}

// orNull is nil for a zero value.
func orNull[T uuid.UUID | time.Time](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// Get reads a job.
func (s *Store) Get(ctx context.Context, id uuid.UUID) (Job, error) {
	return one(ctx, s.pool, "where job_id = $1", id)
}

// UnfinishedOn reads the oldest job that has not ended and is about one of the targets; ErrNotFound when
// there is none. A target that ends in `.*` stands for everything in a catalog or schema.
func (s *Store) UnfinishedOn(ctx context.Context, targets []string) (Job, error) {
	var inside []string
	for _, t := range targets {
		if container, all := strings.CutSuffix(t, "*"); all {
			inside = append(inside, container)
		}
	}
	if len(inside) == 0 {
		return one(ctx, s.pool, "where not ended and targets && $1 order by created, job_id limit 1", targets)
	}
	return one(ctx, s.pool, `where not ended and (targets && $1 or exists (
		select from unnest(targets) t, unnest($2::text[]) i where starts_with(t, i))) order by created, job_id limit 1`, targets, inside)
}

// ByResource reads the job that a resource belongs to.
func (s *Store) ByResource(ctx context.Context, uid string) (Job, error) {
	return one(ctx, s.pool, "where resource_uid = $1 order by created desc limit 1", uid)
}

// Events reads a job's events, the oldest first.
func (s *Store) Events(ctx context.Context, id uuid.UUID) ([]Event, error) {
	rows, err := s.pool.Query(ctx, `select attempt, coalesce(from_state, ''), to_state, coalesce(reason, ''),
		coalesce(message, ''), at from tablewright.job_event where job_id = $1 order by event_id`, id)
	if err != nil {
		return nil, fmt.Errorf("events of job %s: %w", id, err)
	}
	events, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Event])
	if err != nil {
		return nil, fmt.Errorf("events of job %s: %w", id, err)
	}
	return events, nil
}
