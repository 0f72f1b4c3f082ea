-- The history: one row a job, its attempts and its events. Nothing here refers to an object that a user's
-- transaction made, so writing the history never waits for one.

-- +goose Up
create table tablewright.job (
  job_id uuid primary key,
  -- Equal for statements that ask for the same work; unique among jobs that have not ended.
  work_key text,
  -- The user's transaction whose end decides what becomes of the job's work.
  home_xid xid8,
  kind text not null,
  target text not null,
  target_uid text,
  statement text not null,
  statement_hash text,
  submitter text not null,
  application_name text,
  client_addr text,
  session_id text,
  path text not null check (path in ('fast', 'slow')),
  state text not null check (state in ('queued', 'pending', 'running', 'cancelling', 'undoing', 'lost',
    'succeeded', 'failed', 'cancelled', 'undo_failed')),
  ended boolean generated always as (state in ('succeeded', 'failed', 'cancelled', 'undo_failed')) stored,
  reason text,
  progress_done integer,
  progress_total integer,
  progress_text text,
  error_code text,
  error_message text,
  error_detail text,
  cluster text,
  namespace text,
  resource_kind text,
  resource_name text,
  resource_uid text,
  resource_generation bigint,
  external_id text,
  manifest text,
  plan jsonb,
  parent_job_id uuid,
  retry_of uuid,
  trigger text,
  window_start timestamptz,
  window_end timestamptz,
  created timestamptz not null default now(),
  queued timestamptz,
  started timestamptz,
  finished timestamptz,
  updated timestamptz not null default now(),
  attempt integer not null default 1,
  version bigint not null default 1,
  lease_holder text,
  lease_expires timestamptz
);
create unique index job_work on tablewright.job (work_key) where not ended;
create index job_list on tablewright.job (created desc, job_id desc);
create index job_unfinished on tablewright.job (created, job_id) where not ended;
create index job_submitter on tablewright.job (submitter, created desc, job_id desc);
create index job_target on tablewright.job (target, created desc, job_id desc);
create index job_resource on tablewright.job (resource_uid) where resource_uid is not null;

create table tablewright.job_attempt (
  job_id uuid not null references tablewright.job on delete cascade,
  attempt integer not null,
  resource_uid text not null default '',
  state text not null,
  started timestamptz,
  finished timestamptz,
  error_code text,
  error_message text,
  primary key (job_id, attempt, resource_uid)
);

create table tablewright.job_event (
  job_id uuid not null references tablewright.job on delete cascade,
  event_id bigint generated always as identity,
  -- Equal for two reports of the same event; the second is dropped.
  key text not null,
  attempt integer not null,
  from_state text,
  to_state text not null,
  reason text,
  message text,
  at timestamptz not null default now(),
  primary key (job_id, event_id),
  unique (job_id, key)
);

-- +goose StatementBegin
create function tablewright.job_is_final() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception using errcode = '55000',
    message = format('job %s has ended as %s, that never changes', old.job_id, old.state);
end $$;
-- +goose StatementEnd
create trigger final before update on tablewright.job
  for each row when (old.ended and new.state <> old.state) execute function tablewright.job_is_final();

-- +goose StatementBegin
create function tablewright.notify_job() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_notify('tablewright_job', new.job_id::text);
  return null;
end $$;
-- +goose StatementEnd
create trigger tell after insert or update on tablewright.job
  for each row execute function tablewright.notify_job();

-- A role sees its own jobs, a member of tablewright_monitor all. session_user: SET ROLE opens nothing.
create view tablewright.jobs with (security_barrier) as
  select job_id, kind, target, target_uid, statement, statement_hash, submitter, application_name, client_addr,
      session_id, path, state, reason,
      case when progress_total is not null then progress_done || ' of ' || progress_total || ' steps' ||
        coalesce(', ' || progress_text, '') else progress_text end as progress,
      error_code, error_message, error_detail, cluster, namespace, resource_kind, resource_name, resource_uid,
      resource_generation, external_id, manifest, parent_job_id, retry_of, trigger, window_start, window_end,
      created, queued, started, finished, updated, attempt, version
    from tablewright.job
    where submitter = session_user or pg_has_role(session_user, 'tablewright_monitor', 'member');

create view tablewright.job_attempts with (security_barrier) as
  select a.job_id, a.attempt, a.resource_uid, a.state, a.started, a.finished, a.error_code, a.error_message
    from tablewright.job_attempt a join tablewright.job j using (job_id)
    where j.submitter = session_user or pg_has_role(session_user, 'tablewright_monitor', 'member');

create view tablewright.job_events with (security_barrier) as
  select e.job_id, e.event_id, e.attempt, e.from_state, e.to_state, e.reason, e.message, e.at
    from tablewright.job_event e join tablewright.job j using (job_id)
    where j.submitter = session_user or pg_has_role(session_user, 'tablewright_monitor', 'member');

-- What SHOW JOBS answers.
create view tablewright.show_jobs with (security_barrier) as
  select job_id, kind, target, state, path, progress, submitter, created, finished,
      error_code || ': ' || error_message as error
    from tablewright.jobs;

-- +goose StatementBegin
-- What SHOW JOB answers: one row, or none for a job that is not there or not to be seen.
create function tablewright.show_job(id uuid) returns table (
  job_id uuid, kind text, target text, state text, reason text, path text, statement text, submitter text,
  attempt integer, progress text, error_code text, error_message text, error_detail text, resource text,
  manifest text, created timestamptz, started timestamptz, finished timestamptz, events text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select j.job_id, j.kind, j.target, j.state, j.reason, j.path, j.statement, j.submitter, j.attempt, j.progress,
      j.error_code, j.error_message, j.error_detail,
      j.resource_kind || ' ' || coalesce(j.namespace || '/', '') || j.resource_name,
      j.manifest, j.created, j.started, j.finished,
      (select string_agg(concat_ws(' ', to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          e.to_state, e.reason, e.message), E'\n' order by e.event_id)
        from tablewright.job_events e where e.job_id = j.job_id)
    from tablewright.jobs j where j.job_id = id
$$;
-- +goose StatementEnd

grant select on tablewright.jobs, tablewright.job_attempts, tablewright.job_events, tablewright.show_jobs to public;

-- +goose Down
drop function tablewright.show_job(uuid);
drop view tablewright.show_jobs, tablewright.job_events, tablewright.job_attempts, tablewright.jobs;
drop table tablewright.job_event, tablewright.job_attempt, tablewright.job;
drop function tablewright.job_is_final(), tablewright.notify_job();
