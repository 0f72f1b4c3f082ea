package history

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// TakeLease makes holder the one who works on an unfinished job, for a time. It tells whether that
// worked: not when another holds it and its lease has not run out.
func (s *Store) TakeLease(ctx context.Context, id uuid.UUID, holder string, d time.Duration) (bool, error) {
	tag, err := s.pool.Exec(ctx, `update tablewright.job
		set lease_holder = $2, lease_expires = now() + $3, version = version + 1
		where job_id = $1 and not ended
			and (lease_holder is null or lease_holder = $2 or lease_expires < now())`, id, holder, d)
	if err != nil {
		return false, fmt.Errorf("lease of job %s: %w", id, err)
	}
	return tag.RowsAffected() == 1, nil
}

// Renew extends all leases of a holder and returns the jobs that it still holds. A job that is missing
// was taken by another, has ended, or is about to: one whose row a commit holds keeps no other lease waiting.
func (s *Store) Renew(ctx context.Context, holder string, d time.Duration) ([]uuid.UUID, error) {
	rows, err := s.pool.Query(ctx, `update tablewright.job set lease_expires = now() + $2
		where job_id in (select job_id from tablewright.job where lease_holder = $1 and not ended for no key update skip locked)
		returning job_id`, holder, d)
	if err != nil {
		return nil, fmt.Errorf("leases of %s: %w", holder, err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("leases of %s: %w", holder, err)
	}
	return ids, nil
}

// Release gives an unfinished job back, so that another need not wait for the lease to run out.
func (s *Store) Release(ctx context.Context, id uuid.UUID, holder string) error {
	_, err := s.pool.Exec(ctx, `update tablewright.job set lease_holder = null, lease_expires = null
		where job_id = $1 and lease_holder = $2 and not ended`, id, holder)
	if err != nil {
		return fmt.Errorf("lease of job %s: %w", id, err)
	}
	return nil
}

// Expired reads unfinished jobs that nobody holds, or whose holder's lease has run out, the oldest first.
func (s *Store) Expired(ctx context.Context, limit int) ([]Job, error) {
	return many(ctx, s.pool, `where not ended and (lease_holder is null or lease_expires < now())
		order by created, job_id limit $1`, limit)
}

// Unfinished reads the jobs that have not ended, the oldest first.
func (s *Store) Unfinished(ctx context.Context, limit int) ([]Job, error) {
	return many(ctx, s.pool, "where not ended order by created, job_id limit $1", limit)
}
