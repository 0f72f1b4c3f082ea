package history

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Change moves a job on. Only State is needed. The reason is the new state's; what else is zero stays as
// it is.
type Change struct {
	State   State
	Reason  string
	Message string // for the event
	// Key makes the change idempotent: the second one with the same key does nothing. Empty: every
	// change counts.
	Key string
	// At is when it happened, where the resource tells; the database's clock when zero.
	At time.Time

	Progress   *Progress
	Failure    *Failure
	Path       string
	HomeXID    string
	TargetUID  string
	Resource   Resource
	ExternalID string
	Manifest   string
	Attempt    int // a smaller one than the job's is refused as stale

	// Version, when set, is the version that the caller read: ErrStale if it is another by now.
	Version int64
	// Holder, when set, must hold the job's lease: ErrLeaseLost otherwise.
	Holder string
}

// Transition moves a job to a state, in one commit with the event and the attempt's row. A job that has
// ended stays as it is: the same state again is no error, another one is a *FinalError.
func (s *Store) Transition(ctx context.Context, id uuid.UUID, c Change) error {
	return transition(ctx, s.pool, id, c)
}

// TransitionAll moves several jobs on together: all or none.
func (s *Store) TransitionAll(ctx context.Context, ids []uuid.UUID, c Change) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		for _, id := range ids {
			if err := transition(ctx, tx, id, c); err != nil {
				return err
			}
		}
		return nil
	})
}

func transition(ctx context.Context, q querier, id uuid.UUID, c Change) error {
	var p Progress
	if c.Progress != nil {
		p = *c.Progress
	}
	var f Failure
	if c.Failure != nil {
		f = *c.Failure
	}
	rows, err := q.Query(ctx, transitionSQL,
		id, string(c.State), c.Reason, clip(c.Message, messageMax), c.Key, orNull(c.At),
		c.Progress != nil, p.Done, p.Total, clip(p.Text, messageMax),
		c.Failure != nil, f.Code, clip(f.Message, messageMax), clip(f.Detail, messageMax),
		c.Path, c.HomeXID, c.TargetUID, c.Resource.Namespace, c.Resource.Kind, c.Resource.Name, c.Resource.UID,
		c.Resource.Generation, c.ExternalID, clip(c.Manifest, ManifestMax), c.Attempt, c.Version, c.Holder)
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[before])
	if errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("job %s: %w", id, ErrNotFound)
	}
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	return found.verdict(id, c)
}

// before is what the job was when it was to be changed.
type before struct {
	State   State
	Version int64
	Attempt int
	Holder  string
	Known   bool // an event with the change's key is there already
	Changed bool
}

// verdict explains why nothing was changed.
func (b before) verdict(id uuid.UUID, c Change) error {
	switch {
	case b.Changed, b.Known:
		return nil
	case b.State.Final() && b.State == c.State:
		return nil
	case b.State.Final():
		return &FinalError{JobID: id, State: b.State}
	case c.Holder != "" && b.Holder != c.Holder:
		return fmt.Errorf("job %s: %w", id, ErrLeaseLost)
	default:
		return fmt.Errorf("job %s: %w", id, ErrStale)
	}
}

// transitionSQL does it all in one statement, so that it is one round trip and one commit.
const transitionSQL = `
with old as (
	select *, $5 <> '' and exists (select from tablewright.job_event e where e.job_id = $1 and e.key = $5) as known
	from tablewright.job where job_id = $1 for update
), changed as (
	update tablewright.job j set
		state = $2,
		reason = nullif($3, ''),
		progress_done = case when $7 then nullif($8, 0) else j.progress_done end,
		progress_total = case when $7 then nullif($9, 0) else j.progress_total end,
		progress_text = case when $7 then nullif($10, '') else j.progress_text end,
		error_code = case when $11 then nullif($12, '') else j.error_code end,
		error_message = case when $11 then nullif($13, '') else j.error_message end,
		error_detail = case when $11 then nullif($14, '') else j.error_detail end,
		path = coalesce(nullif($15, ''), j.path),
		home_xid = coalesce(nullif($16, '')::text::xid8, j.home_xid),
		target_uid = coalesce(nullif($17, ''), j.target_uid),
		namespace = coalesce(nullif($18, ''), j.namespace),
		resource_kind = coalesce(nullif($19, ''), j.resource_kind),
		resource_name = coalesce(nullif($20, ''), j.resource_name),
		resource_uid = coalesce(nullif($21, ''), j.resource_uid),
		resource_generation = coalesce(nullif($22, 0::bigint), j.resource_generation),
		external_id = coalesce(nullif($23, ''), j.external_id),
		manifest = coalesce(nullif($24, ''), j.manifest),
		attempt = greatest(j.attempt, $25::int),
		queued = case when $2 = 'queued' then coalesce(j.queued, $6, now()) else j.queued end,
		started = case when $2 = 'running' then coalesce(j.started, $6, now()) else j.started end,
		finished = case when $2 in ('succeeded', 'failed', 'cancelled', 'undo_failed') then coalesce($6, now()) end,
		updated = now(),
		version = j.version + 1
	from old
	where j.job_id = old.job_id and not old.ended and not old.known
		and ($25::int = 0 or $25::int >= old.attempt)
		and ($26::bigint = 0 or $26::bigint = old.version)
		and ($27 = '' or $27 = old.lease_holder)
	returning j.*
), event as (
	insert into tablewright.job_event (job_id, key, attempt, from_state, to_state, reason, message, at)
	select c.job_id, coalesce(nullif($5, ''), 'v' || c.version), c.attempt, old.state, c.state, c.reason,
		nullif($4, ''), coalesce($6, now())
	from changed c, old
	on conflict (job_id, key) do nothing
), attempt as (
	insert into tablewright.job_attempt as a (job_id, attempt, resource_uid, state, started, finished, error_code, error_message)
	select c.job_id, c.attempt, coalesce(c.resource_uid, ''), c.state,
		coalesce($6, now()), case when c.ended then c.finished end, c.error_code, c.error_message
	from changed c where c.state not in ('queued', 'pending')
	on conflict (job_id, attempt, resource_uid) do update set
		state = excluded.state, finished = excluded.finished,
		error_code = excluded.error_code, error_message = excluded.error_message
)
select old.state, old.version, old.attempt, coalesce(old.lease_holder, ''), old.known, exists (select from changed)
from old`

// SetProgress says how far an unfinished job has come. It leaves no event.
func (s *Store) SetProgress(ctx context.Context, id uuid.UUID, p Progress) error {
	_, err := s.pool.Exec(ctx, `update tablewright.job set progress_done = nullif($2, 0), progress_total = nullif($3, 0),
			progress_text = nullif($4, ''), updated = now(), version = version + 1
		where job_id = $1 and not ended`, id, p.Done, p.Total, clip(p.Text, messageMax))
	if err != nil {
		return fmt.Errorf("progress of job %s: %w", id, err)
	}
	return nil
}
