package history

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const columns = `job_id, coalesce(work_key, ''), coalesce(home_xid::text, ''), kind, target, coalesce(target_uid, ''),
	statement, coalesce(statement_hash, ''), submitter, coalesce(application_name, ''), coalesce(client_addr, ''),
	coalesce(session_id, ''), path, state, coalesce(reason, ''), coalesce(cluster, ''), coalesce(namespace, ''),
	coalesce(resource_kind, ''), coalesce(resource_name, ''), coalesce(resource_uid, ''),
	coalesce(resource_generation, 0), coalesce(external_id, ''), coalesce(manifest, ''), plan, parent_job_id, retry_of,
	coalesce(trigger, ''), window_start, window_end, created, coalesce(progress_done, 0), coalesce(progress_total, 0),
	coalesce(progress_text, ''), coalesce(error_code, ''), coalesce(error_message, ''), coalesce(error_detail, ''),
	attempt, version, queued, started, finished, updated, coalesce(lease_holder, ''), lease_expires, targets`

// one reads one job. The text is what follows the FROM clause, or a WITH clause that makes a relation
// called job. No row is ErrNotFound.
func one(ctx context.Context, q querier, text string, args ...any) (Job, error) {
	jobs, err := many(ctx, q, text, args...)
	switch {
	case err != nil:
		return Job{}, err
	case len(jobs) == 0:
		return Job{}, ErrNotFound
	}
	return jobs[0], nil
}

// many is one for any number of rows.
func many(ctx context.Context, q querier, text string, args ...any) ([]Job, error) {
	query := "select " + columns + " from tablewright.job " + text
	if strings.HasPrefix(text, "with ") {
		query = text + " select " + columns + " from job"
	}
	rows, err := q.Query(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	jobs, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	return jobs, nil
}

func scan(row pgx.CollectableRow) (Job, error) {
	var j Job
	var plan []byte
	var parent, retryOf *uuid.UUID
	var windowStart, windowEnd, queued, started, finished, lease *time.Time
	err := row.Scan(&j.JobID, &j.WorkKey, &j.HomeXID, &j.Kind, &j.Target, &j.TargetUID,
		&j.Statement, &j.StatementHash, &j.Submitter, &j.ApplicationName, &j.ClientAddr,
		&j.SessionID, &j.Path, &j.State, &j.Reason, &j.Cluster, &j.Resource.Namespace,
		&j.Resource.Kind, &j.Resource.Name, &j.Resource.UID,
		&j.Resource.Generation, &j.ExternalID, &j.Manifest, &plan, &parent, &retryOf,
		&j.Trigger, &windowStart, &windowEnd, &j.Created, &j.Progress.Done, &j.Progress.Total,
		&j.Progress.Text, &j.Failure.Code, &j.Failure.Message, &j.Failure.Detail,
		&j.Attempt, &j.Version, &queued, &started, &finished, &j.Updated, &j.Holder, &lease, &j.Targets)
	if err != nil {
		return Job{}, err
	}
	j.Plan = plan
	j.ParentJobID, j.RetryOf = orZero(parent), orZero(retryOf)
	j.WindowStart, j.WindowEnd = orZero(windowStart), orZero(windowEnd)
	j.Queued, j.Started, j.Finished = orZero(queued), orZero(started), orZero(finished)
	j.LeaseExpires = orZero(lease)
	return j, nil
}

func orZero[T any](p *T) T {
	var zero T
	if p == nil {
		return zero
	}
	return *p
}
