package history

import (
	"context"
	"fmt"
	"time"
)

// retentionBatch is how many jobs one statement deletes: a short lock, a short log.
const retentionBatch = 500

// DeleteOld deletes jobs that ended longer ago than age, with their events and attempts, in batches. It
// returns how many.
func (s *Store) DeleteOld(ctx context.Context, age time.Duration) (int64, error) {
	var total int64
	for {
		tag, err := s.pool.Exec(ctx, `delete from tablewright.job where job_id in (
			select job_id from tablewright.job where ended and finished < now() - $1::interval
			order by created limit $2)`, age, retentionBatch)
		if err != nil {
			return total, fmt.Errorf("retention of the history: %w", err)
		}
		total += tag.RowsAffected()
		if tag.RowsAffected() < retentionBatch {
			return total, nil
		}
	}
}
