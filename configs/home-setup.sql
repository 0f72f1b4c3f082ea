-- Prepares a PostgreSQL (15 or newer) as the home database of Tablewright. Run it as a superuser:
--
--   psql -X -v owner=tablewright -v database=tablewright -f home-setup.sql
--
-- owner is the role of the gateway's own connections (give it a password afterwards), database the home
-- database. Both are made when they are missing. The script may run again, and has to when a new release
-- says so. `tablewright home check` lists what it granted.
--
-- Generated from home/setup_head.sql, home/privileged.sql and home/setup_tail.sql.

\set ON_ERROR_STOP on
\if :{?owner}
\else
  \set owner tablewright
\endif
\if :{?database}
\else
  \set database tablewright
\endif

-- CREATEROLE: the gateway makes roles for members of admin, who do not have that right themselves. On
-- PostgreSQL 15 it is close to superuser; ALTER ROLE … NOCREATEROLE switches that feature off.
select format('create role %I login createrole', :'owner')
  where not exists (select from pg_roles where rolname = :'owner') \gexec
select format('create database %I owner %I encoding ''UTF8'' template template0', :'database', :'owner')
  where not exists (select from pg_database where datname = :'database') \gexec
\connect :"database"

begin;

-- What only a superuser may make: the registry of managed objects, the guard that lets nobody but the
-- gateway change them, the wall that keeps their empty shadows from being read, and the types of catalog.
--
-- The script may run again: it brings an older installation up to date. Nothing in it changes a row of a
-- user. It is run by the gateway itself when that is the superuser of its own PostgreSQL, and by an
-- administrator (configs/home-setup.sql) for any other one.

create schema if not exists tablewright;
revoke all on schema tablewright from public;
grant usage on schema tablewright to public;

-- Nobody may name what is in this schema; the walls are found through their parents only.
create schema if not exists tw_wall;
revoke all on schema tw_wall from public;

do $$
begin
  if not exists (select from pg_roles where rolname = 'tablewright_monitor') then
    create role tablewright_monitor nologin;
  end if;
end $$;

-- Registry -----------------------------------------------------------------------------------------

-- The types of catalog. Without a handler, whatever would read through one fails (55000).
do $$
declare kind text;
begin
  foreach kind in array array['postgres', 'mysql', 'kafka', 'iceberg', 'venice', 'kubernetes'] loop
    if not exists (select from pg_foreign_data_wrapper where fdwname = kind) then
      execute format('create foreign data wrapper %I', kind);
    end if;
  end loop;
end $$;

-- The key of tickets, as the two padded blocks of HMAC-SHA256, so that no trigger has to compute them.
create table if not exists tablewright.secret (
  one boolean primary key default true check (one),
  key bytea not null,
  inner_block bytea not null check (length(inner_block) = 64),
  outer_block bytea not null check (length(outer_block) = 64)
);
revoke all on tablewright.secret from public;

-- One row a foreign server whose wrapper is one of the types above. Type, owner and options are those
-- of pg_foreign_server; secrets are in neither, only references to them.
create table if not exists tablewright.catalog (
  server oid primary key,
  name text not null unique,
  generation bigint not null default 1,
  default_schema text,
  refreshed timestamptz,
  refresh_error text
);

create table if not exists tablewright.managed_schema (
  oid oid primary key,
  name text not null unique,
  catalog text not null
);

-- One row a shadow, by OID: a name changes with SET SCHEMA and RENAME, and a guard that goes by names
-- lets both through.
create table if not exists tablewright.relation (
  oid oid primary key,
  wall oid unique,
  catalog text not null,
  path text[] not null,
  managed text not null default 'full' check (managed in ('full', 'observed')),
  state text not null default 'provisioning'
    check (state in ('ready', 'provisioning', 'altering', 'failed', 'dropping', 'drop failed')),
  job_id uuid,
  identity text,
  options jsonb not null default '[]',
  partitioning jsonb not null default '[]',
  constraints jsonb not null default '[]',
  version bigint not null default 1,
  changed timestamptz not null default now()
);
-- Version 1 had no state `altering`.
do $$
begin
  if not exists (select from pg_constraint where conrelid = 'tablewright.relation'::regclass
      and conname = 'relation_state_check' and strpos(pg_get_constraintdef(oid), 'altering') > 0) then
    alter table tablewright.relation drop constraint relation_state_check, add constraint relation_state_check
      check (state in ('ready', 'provisioning', 'altering', 'failed', 'dropping', 'drop failed'));
  end if;
end $$;
create index if not exists relation_catalog on tablewright.relation (catalog);
create index if not exists relation_job on tablewright.relation (job_id) where job_id is not null;

-- What each set has made and what is still there (docs/apply.md). By OID: a name may change.
create table if not exists tablewright.set_object (
  class oid not null,
  object oid not null,
  set_name text not null check (octet_length(set_name) <= 63),
  made timestamptz not null default now(),
  made_by text not null default session_user,
  primary key (class, object)
);
create index if not exists set_object_set on tablewright.set_object (set_name);

grant select on tablewright.catalog, tablewright.managed_schema, tablewright.relation, tablewright.set_object to public;

-- Whoever keeps names in memory hears of every change when it is committed.
create or replace function tablewright.notify_catalog() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_notify('tablewright_catalog', '');
  return null;
end $$;

create or replace trigger tell after insert or update or delete or truncate on tablewright.catalog
  for each statement execute function tablewright.notify_catalog();
create or replace trigger tell after insert or update or delete or truncate on tablewright.managed_schema
  for each statement execute function tablewright.notify_catalog();
create or replace trigger tell after insert or update or delete or truncate on tablewright.relation
  for each statement execute function tablewright.notify_catalog();

-- A shadow may lose its wall only on its way out.
create or replace function tablewright.check_walled() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from tablewright.relation x where x.oid = new.oid and x.wall is null) then
    raise exception using errcode = '55000', constraint = 'tablewright.guard',
      message = format('external table %s has no wall', new.oid::regclass),
      detail = 'It must be dropped in the transaction that took its wall away.';
  end if;
  return null;
end $$;

drop trigger if exists walled on tablewright.relation;
create constraint trigger walled after insert or update on tablewright.relation
  deferrable initially deferred for each row when (new.wall is null)
  execute function tablewright.check_walled();

-- Tickets ------------------------------------------------------------------------------------------

-- A ticket is the HMAC of this backend's pid and the exact text of the client's statement. It is of no use
-- to the user who reads it: the same text at top level is always the gateway's to run, and any other text,
-- or the same one run by a function, does not fit.
--
-- frames is the caller's pg_context. Its outermost frame must be a function of this file: with a
-- user's function in between (called by the ticketed statement itself, from a partition bound, say) it is
-- that function's. lc_messages is fixed, since the frames are messages.
create or replace function tablewright.is_outermost(frames text) returns boolean
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return (regexp_match(frames, '[^\n]*$'))[1] ~
    '^PL/pgSQL function tablewright\.[a-z_]+\([a-z, ]*\) line [0-9]+ at [A-Za-z ]+$';
end $$;

create or replace function tablewright.ticket_ok(frames text) returns boolean
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp as $$
begin
  return tablewright.is_outermost(frames) and coalesce((
    select current_setting('tablewright.ticket', true) = encode(sha256(s.outer_block || sha256(s.inner_block ||
        convert_to(pg_backend_pid() || '|' || current_query(), 'UTF8'))), 'hex')
      from tablewright.secret s), false);
end $$;
revoke all on function tablewright.ticket_ok(text) from public;

create or replace function tablewright.require_ticket(frames text, what text) returns void
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp as $$
begin
  if not tablewright.ticket_ok(frames) then
    raise exception using errcode = '42501', constraint = 'tablewright.guard',
      message = format('%s is only possible as a statement of its own', what),
      hint = 'It belongs to an external system. Send the statement by itself, not from a function or a DO block.';
  end if;
end $$;
revoke all on function tablewright.require_ticket(text, text) from public;

create or replace function tablewright.refuse(what text) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  raise exception using errcode = '0A000', constraint = 'tablewright.guard',
    message = format('%s is not supported', what),
    detail = 'Only a view may depend on a table of an external system.';
end $$;
revoke all on function tablewright.refuse(text) from public;

-- Guard: what is what ------------------------------------------------------------------------------

-- These functions are PL/pgSQL, not SQL, and of small statements: a session plans each statement once, when
-- it first gets there, and most of its DDL gets to few of them.

-- The table that an object is a part of; the object itself when it is a relation; null otherwise.
create or replace function tablewright.owning_relation(class oid, object oid) returns oid
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare rel oid; kind "char";
begin
  case class
    when 'pg_class'::regclass then
      kind := (select relkind from pg_class where oid = object);
      if kind in ('i', 'I') then
        rel := (select indrelid from pg_index where indexrelid = object);
      elsif kind = 'S' then
        rel := (select refobjid from pg_depend
          where classid = 'pg_class'::regclass and objid = object and objsubid = 0
            and refclassid = 'pg_class'::regclass and deptype in ('a', 'i') limit 1);
      end if;
      rel := coalesce(rel, object);
    when 'pg_type'::regclass then
      rel := (select nullif(coalesce(nullif(t.typrelid, 0), e.typrelid), 0)
        from pg_type t left join pg_type e on e.oid = t.typelem where t.oid = object);
    when 'pg_trigger'::regclass then
      rel := (select tgrelid from pg_trigger where oid = object);
    when 'pg_rewrite'::regclass then
      rel := (select ev_class from pg_rewrite where oid = object);
    when 'pg_policy'::regclass then
      rel := (select polrelid from pg_policy where oid = object);
    when 'pg_constraint'::regclass then
      rel := (select nullif(conrelid, 0) from pg_constraint where oid = object);
    when 'pg_attrdef'::regclass then
      rel := (select adrelid from pg_attrdef where oid = object);
    when 'pg_statistic_ext'::regclass then
      rel := (select stxrelid from pg_statistic_ext where oid = object);
    when 'pg_publication_rel'::regclass then
      rel := (select prrelid from pg_publication_rel where oid = object);
    else
      rel := null;
  end case;
  return rel;
end $$;
revoke all on function tablewright.owning_relation(oid, oid) from public;

-- The first thing at a shadow that it must not have, described; null when there is none.
create or replace function tablewright.forbidden_part(rel oid, wall oid) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return (
  select what from (
    select pg_describe_object('pg_trigger'::regclass, t.oid, 0) from pg_trigger t
      where t.tgrelid = rel and not t.tgisinternal and t.tgname <> 'tw_guard'
    union all
    select pg_describe_object('pg_rewrite'::regclass, r.oid, 0) from pg_rewrite r where r.ev_class = rel
    union all
    select pg_describe_object('pg_policy'::regclass, p.oid, 0) from pg_policy p where p.polrelid = rel
    union all
    select pg_describe_object('pg_class'::regclass, i.indexrelid, 0) from pg_index i
      where i.indrelid = rel and not exists (select from pg_constraint c
        where c.conindid = i.indexrelid and c.conrelid = rel and c.contype in ('p', 'u'))
    union all
    select pg_describe_object('pg_constraint'::regclass, c.oid, 0) from pg_constraint c
      where (c.conrelid = rel and c.contype not in ('p', 'u', 'c', 'n')) or c.confrelid = rel
    union all
    select 'table of type ' || c.reloftype::regtype from pg_class c where c.oid = rel and c.reloftype <> 0
    union all
    select 'inheritance between ' || i.inhrelid::regclass || ' and ' || i.inhparent::regclass from pg_inherits i
      where (i.inhparent = rel and i.inhrelid is distinct from wall) or i.inhrelid = rel
    union all
    select pg_describe_object('pg_statistic_ext'::regclass, s.oid, 0) from pg_statistic_ext s where s.stxrelid = rel
    union all
    select pg_describe_object('pg_publication_rel'::regclass, p.oid, 0) from pg_publication_rel p
      where p.prrelid = rel
  ) parts(what) limit 1
  );
end $$;
revoke all on function tablewright.forbidden_part(oid, oid) from public;

-- How an object that is not managed depends on one that is, described; null when it does not, or may.
-- It is looked for in pg_depend, so that kinds of object that nobody thought of are found too. A view
-- may depend on a shadow: it is read through the gateway, or fails at the wall.
create or replace function tablewright.forbidden_dependent(class oid, object oid, rel oid) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  classes oid[] := array[class]; objects oid[] := array[object]; -- the object and its parts
  used_by_class oid[]; used_by oid[]; used oid[];                -- the relations that these depend on
  views oid[]; what text;
begin
  if exists (select from pg_class where oid = rel and relkind = 'v') then
    return null;
  end if;
  select classes || array_agg(classid), objects || array_agg(objid) into classes, objects from pg_depend
    where refclassid = class and refobjid = object and deptype in ('a', 'i');
  if rel <> object then
    select classes || array_agg(classid), objects || array_agg(objid) into classes, objects from pg_depend
      where refclassid = 'pg_class'::regclass and refobjid = rel and deptype in ('a', 'i');
  end if;
  select array_agg(o.class), array_agg(o.object), array_agg(case d.refclassid when 'pg_class'::regclass then d.refobjid
        else tablewright.owning_relation(d.refclassid, d.refobjid) end)
    into used_by_class, used_by, used
    from unnest(classes, objects) o(class, object) join pg_depend d on d.classid = o.class and d.objid = o.object
    where d.refclassid in ('pg_class'::regclass, 'pg_type'::regclass) and d.refobjid is distinct from rel;
  if used is not null then
    what := (select pg_describe_object(u.class, u.object, 0) || ' over external table ' || x.oid::regclass
      from unnest(used_by_class, used_by, used) u(class, object, used)
      join tablewright.relation x on u.used in (x.oid, x.wall) limit 1);
    if what is not null then
      return what;
    end if;
    -- What a view is over is used by what is over the view.
    views := array(select oid from pg_class where oid = any (used) and oid <> rel and relkind = 'v');
    if views <> '{}' then
      what := (
        with recursive v(view, used) as (
          select view, view from unnest(views) view
          union
          select v.view, d.refobjid from v join pg_rewrite r on r.ev_class = v.used
            join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
            where d.refclassid = 'pg_class'::regclass
        )
        select pg_describe_object(class, object, 0) || ' over external table ' || x.oid::regclass
          || ' by way of view ' || v.view::regclass
          from v join tablewright.relation x on x.oid = v.used limit 1);
      if what is not null then
        return what;
      end if;
    end if;
  end if;
  -- A shadow made the child of a home table.
  return (select 'inheritance between ' || i.inhrelid::regclass || ' and ' || i.inhparent::regclass
    from pg_inherits i join tablewright.relation x on x.oid = i.inhrelid where i.inhparent = rel limit 1);
end $$;
revoke all on function tablewright.forbidden_dependent(oid, oid, oid) from public;

-- The catalog whose schemas carry a name: `kafka` for the flat catalog kafka, `lake.sales` for the
-- layered one lake; null for an ordinary schema.
create or replace function tablewright.claimed_by(schema_name text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return (
  select c.name from tablewright.catalog c
    join pg_foreign_server s on s.oid = c.server join pg_foreign_data_wrapper w on w.oid = s.srvfdw
    where case when w.fdwname in ('postgres', 'mysql', 'iceberg')
      then starts_with(schema_name, c.name || '.') else schema_name = c.name end
    limit 1
  );
end $$;
revoke all on function tablewright.claimed_by(text) from public;

-- Guard: what happens ------------------------------------------------------------------------------

-- Registers a new table of a managed schema: the wall, the guard of INSERT and TRUNCATE, the row.
create or replace function tablewright.register_relation(rel oid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare t record; wall text := 'w' || rel;
begin
  select c.relname, c.relowner::regrole::text as owner, n.nspname, m.catalog into strict t
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join tablewright.managed_schema m on m.oid = n.oid where c.oid = rel;
  execute format('create foreign table tw_wall.%I () inherits (%s) server %I', wall, rel::regclass, t.catalog);
  -- Registered now: the statements below are changes of a shadow already.
  insert into tablewright.relation (oid, wall, catalog, path) values (rel,
    format('tw_wall.%I', wall)::regclass, t.catalog,
    case when t.nspname = t.catalog then array[t.relname::text]
      else array[substr(t.nspname, length(t.catalog) + 2), t.relname::text] end);
  -- ALTER TABLE of the shadow reaches the wall with the rights of whoever owns the shadow.
  execute format('alter foreign table tw_wall.%I owner to %s', wall, t.owner);
  execute format('create trigger tw_guard before insert or truncate on %s for each statement '
    'execute function tablewright.refuse_write()', rel::regclass);
  execute format('alter table %s enable always trigger tw_guard', rel::regclass);
end $$;
revoke all on function tablewright.register_relation(oid) from public;

-- A change of a registered shadow, after its ticket was found good.
create or replace function tablewright.change_relation(rel oid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare t record;
begin
  select c.relowner, c.relowner::regrole::text as owner, w.relowner as wall_owner, w.relname as wall,
      exists (select from tablewright.managed_schema m where m.oid = c.relnamespace and m.catalog = x.catalog) as home
    into t
    from tablewright.relation x join pg_class c on c.oid = x.oid left join pg_class w on w.oid = x.wall
    where x.oid = rel;
  if not t.home then
    perform tablewright.refuse(format('moving external table %s to another system', rel::regclass));
  end if;
  if t.wall_owner <> t.relowner then
    execute format('alter foreign table tw_wall.%I owner to %s', t.wall, t.owner);
  end if;
  update tablewright.relation set version = version + 1, changed = now() where oid = rel;
end $$;
revoke all on function tablewright.change_relation(oid) from public;

-- A command on something in a managed schema that is not a registered shadow, its ticket being good. Returns the
-- table that is one now; null when none is.
drop function if exists tablewright.admit_object(oid, oid, text, text); -- it returned nothing
create or replace function tablewright.admit_object(class oid, rel oid, tag text, what text) returns oid
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare kind "char" := (select relkind from pg_class where oid = rel); bad text;
begin
  if kind in ('v', 'S', 'i') or (kind is null and class = 'pg_constraint'::regclass) then
    return null;
  end if;
  -- An existing table (ALTER TABLE … SET SCHEMA) or the result of a query may hold rows.
  if kind <> 'r' or kind is null or tag not in ('CREATE TABLE', 'CREATE TABLE AS') or pg_relation_size(rel) > 0 then
    perform tablewright.refuse(format('%s of %s in a schema of an external system', lower(tag), what));
  end if;
  bad := tablewright.forbidden_part(rel, null);
  if bad is not null then
    perform tablewright.refuse(bad);
  end if;
  perform tablewright.register_relation(rel);
  return rel;
end $$;
revoke all on function tablewright.admit_object(oid, oid, text, text) from public;

-- CREATE or ALTER of a foreign server.
create or replace function tablewright.guard_server(frames text, tag text, server_oid oid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare s record; former text;
begin
  select f.srvname, w.fdwname into s from pg_foreign_server f join pg_foreign_data_wrapper w on w.oid = f.srvfdw
    where f.oid = server_oid
      and w.fdwname in ('postgres', 'mysql', 'kafka', 'iceberg', 'venice', 'kubernetes');
  if not found then
    return;
  end if;
  perform tablewright.require_ticket(frames, format('%s of catalog %I', tag, s.srvname));
  if strpos(s.srvname, '.') > 0 or s.srvname = current_database() then
    raise exception using errcode = '42602', message = format('invalid name of a catalog: "%s"', s.srvname),
      hint = 'A catalog''s name has no dot and is not that of the home database.';
  end if;
  select name into former from tablewright.catalog where server = server_oid;
  insert into tablewright.catalog (server, name) values (server_oid, s.srvname)
    on conflict (server) do update set name = excluded.name,
      generation = catalog.generation + (tag = 'ALTER SERVER')::int;
  if former <> s.srvname then
    update tablewright.managed_schema set catalog = s.srvname where catalog = former;
    update tablewright.relation set catalog = s.srvname where catalog = former;
  end if;
end $$;
revoke all on function tablewright.guard_server(text, text, oid) from public;

-- CREATE or ALTER of a schema.
create or replace function tablewright.guard_schema(frames text, tag text, schema_oid oid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  schema_name text := (select nspname from pg_namespace where oid = schema_oid);
  owner text := tablewright.claimed_by(schema_name);
  former tablewright.managed_schema;
begin
  select * into former from tablewright.managed_schema where oid = schema_oid;
  if former.oid is null and owner is null then
    return;
  end if;
  perform tablewright.require_ticket(frames, format('%s of external schema %I', tag, schema_name));
  if former.oid is null and tag <> 'CREATE SCHEMA' or owner is distinct from coalesce(former.catalog, owner) then
    perform tablewright.refuse(format('%s of %I between external systems', lower(tag), schema_name));
  end if;
  insert into tablewright.managed_schema (oid, name, catalog) values (schema_oid, schema_name, owner)
    on conflict (oid) do update set name = excluded.name;
end $$;
revoke all on function tablewright.guard_schema(text, text, oid) from public;

-- One command of a statement. Returns the table that it has brought under the gateway; null when none.
create or replace function tablewright.check_command(
  frames text, class oid, object oid, rel oid, tag text, what text, kind text, in_schema text) returns oid
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare managed tablewright.relation; bad text;
begin
  case class
    when 'pg_foreign_server'::regclass then
      perform tablewright.guard_server(frames, tag, object);
      return null;
    when 'pg_namespace'::regclass then
      perform tablewright.guard_schema(frames, tag, object);
      return null;
    when 'pg_user_mapping'::regclass then
      if exists (select from pg_user_mapping u join tablewright.catalog c on c.server = u.umserver where u.oid = object) then
        perform tablewright.refuse('user mapping of a catalog');
      end if;
      return null;
    else
  end case;
  select * into managed from tablewright.relation x where x.oid = rel or x.wall = rel;
  if managed.oid is not null then
    bad := tablewright.forbidden_part(managed.oid, managed.wall);
    if bad is not null then
      perform tablewright.refuse(bad);
    end if;
    perform tablewright.require_ticket(frames, format('%s of external %s %s', tag, kind, what));
    if rel = managed.oid then
      perform tablewright.change_relation(managed.oid);
    end if;
  elsif exists (select from tablewright.managed_schema m where m.name = coalesce(
      (select n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = rel), in_schema)) then
    perform tablewright.require_ticket(frames, format('%s of external %s %s', tag, kind, what));
    return tablewright.admit_object(class, rel, tag, what);
  else
    bad := coalesce(tablewright.forbidden_dependent(class, object, rel),
      (select 'foreign table ' || rel::regclass || ' of a catalog' from pg_foreign_table t
        join tablewright.catalog c on c.server = t.ftserver
        where t.ftrelid = rel and not exists (select from pg_class w
          where w.oid = rel and w.relnamespace = 'tw_wall'::regnamespace)));
    if bad is not null then
      perform tablewright.refuse(bad);
    end if;
  end if;
  return null;
end $$;
revoke all on function tablewright.check_command(text, oid, oid, oid, text, text, text, text) from public;

create or replace function tablewright.guard() returns event_trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp set lc_messages = 'C' set plan_cache_mode = force_generic_plan as $$
declare frames text; r record; rel oid; fresh oid[] := '{}';
begin
  get diagnostics frames = pg_context;
  if strpos(frames, E'\n') > 0 and tablewright.is_outermost(frames) then
    return;  -- a statement of register_relation or change_relation, which is run by this very function
  end if;
  for r in
    select * from pg_event_trigger_ddl_commands() with ordinality
      where objid is not null  -- GRANT and REVOKE tell nothing, and have no effect outside
      -- A schema comes before the tables made with it, a table before its sequences and indexes.
      order by command_tag <> 'CREATE SCHEMA', command_tag not like 'CREATE TABLE%', ordinality
  loop
    if r.object_type = 'view' then
      perform pg_notify('tablewright_catalog', '');  -- a shadow may be reached by another name now
    end if;
    rel := tablewright.owning_relation(r.classid, r.objid);
    -- The parts of a table were looked at with the table: all of them are there before the first command is told.
    continue when rel = any (fresh);
    fresh := fresh || tablewright.check_command(
      frames, r.classid, r.objid, rel, r.command_tag, r.object_identity, r.object_type, r.schema_name);
  end loop;
end $$;

-- What guard called up to version 4.
drop function if exists tablewright.guard_command(text, oid, oid, text, text, text, text);

create or replace function tablewright.guard_drop() returns event_trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp set lc_messages = 'C' set plan_cache_mode = force_generic_plan as $$
declare frames text; r record;
begin
  get diagnostics frames = pg_context;
  for r in
    select d.classid, d.objid, d.object_identity, d.object_type,
        x.oid as rel, w.oid as walled, m.oid as schema_oid, c.server, g.oid as guarded
      from pg_event_trigger_dropped_objects() d
      left join tablewright.relation x on d.classid = 'pg_class'::regclass and d.objsubid = 0 and x.oid = d.objid
      left join tablewright.relation w on d.classid = 'pg_class'::regclass and d.objsubid = 0 and w.wall = d.objid
      left join tablewright.managed_schema m on d.classid = 'pg_namespace'::regclass and m.oid = d.objid
      left join tablewright.catalog c on d.classid = 'pg_foreign_server'::regclass and c.server = d.objid
      -- The trigger tw_guard of a shadow that stays.
      left join tablewright.relation g on d.object_type = 'trigger' and g.oid = case when starts_with(d.object_identity, 'tw_guard on ')
          then to_regclass(substr(d.object_identity, length('tw_guard on ') + 1)) end
      where x.oid is not null or w.oid is not null or m.oid is not null or c.server is not null or g.oid is not null
        or exists (select from tablewright.managed_schema s where s.name = d.schema_name)
  loop
    perform tablewright.require_ticket(frames, format('%s of external %s %s', tg_tag, r.object_type, r.object_identity));
    if r.guarded is not null then
      perform tablewright.refuse(format('%s of %s', lower(tg_tag), r.object_identity));
    end if;
    if r.rel is not null then
      delete from tablewright.relation where oid = r.rel;
    elsif r.walled is not null then
      update tablewright.relation set wall = null where oid = r.walled;
    elsif r.schema_oid is not null then
      delete from tablewright.managed_schema where oid = r.schema_oid;
    elsif r.server is not null then
      delete from tablewright.catalog where server = r.server;
    end if;
  end loop;
end $$;

-- ALWAYS: session_replication_role = replica would switch them off otherwise.
do $$
begin
  if not exists (select from pg_event_trigger where evtname = 'tablewright_guard') then
    create event trigger tablewright_guard on ddl_command_end execute function tablewright.guard();
  end if;
  if not exists (select from pg_event_trigger where evtname = 'tablewright_guard_drop') then
    create event trigger tablewright_guard_drop on sql_drop execute function tablewright.guard_drop();
  end if;
end $$;
alter event trigger tablewright_guard enable always;
alter event trigger tablewright_guard_drop enable always;

-- Sets ---------------------------------------------------------------------------------------------

-- Notes for tablewright.set what a statement makes, of home and of catalogs alike, and keeps it off what
-- another set has made.
create or replace function tablewright.mark_set() returns event_trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare own text := current_setting('tablewright.set', true); r record;
begin
  if coalesce(own, '') = '' then
    return;
  end if;
  for r in
    select classid, objid, command_tag, object_type, object_identity from pg_event_trigger_ddl_commands()
      where classid in ('pg_class'::regclass, 'pg_namespace'::regclass, 'pg_foreign_server'::regclass)
        and schema_name is distinct from 'tw_wall' and schema_name is distinct from 'pg_temp'
  loop
    perform tablewright.require_set(own, r.classid, r.objid, r.object_identity);
    if r.command_tag like 'CREATE %' and r.object_type in ('table', 'view', 'materialized view', 'schema', 'server')
        -- CREATE OR REPLACE VIEW of one that was there: only its row type is as old as the view.
        and (r.object_type <> 'view' or exists (select from pg_class c join pg_type t on t.typrelid = c.oid
          where c.oid = r.objid and t.xmin = c.xmin)) then
      insert into tablewright.set_object (class, object, set_name) values (r.classid, r.objid, own)
        on conflict do nothing;
    end if;
  end loop;
end $$;

create or replace function tablewright.require_set(own text, class_id oid, object_id oid, what text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare other text := (select o.set_name from tablewright.set_object o
  where o.class = class_id and o.object = object_id and o.set_name <> own);
begin
  if other is not null then
    raise exception using errcode = '55000', message = format('%s belongs to set "%s"', what, other),
      detail = format('The statement is one of set "%s".', own),
      hint = 'RESET tablewright.set changes it whoever made it.';
  end if;
end $$;
revoke all on function tablewright.require_set(text, oid, oid, text) from public;

create or replace function tablewright.leave_set() returns event_trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare own text := nullif(current_setting('tablewright.set', true), ''); r record;
begin
  for r in
    select d.classid, d.objid, d.object_identity from pg_event_trigger_dropped_objects() d
      join tablewright.set_object o on o.class = d.classid and o.object = d.objid where d.objsubid = 0
  loop
    perform tablewright.require_set(own, r.classid, r.objid, r.object_identity);
    delete from tablewright.set_object where class = r.classid and object = r.objid;
  end loop;
end $$;

do $$
begin
  if not exists (select from pg_event_trigger where evtname = 'tablewright_set') then
    create event trigger tablewright_set on ddl_command_end execute function tablewright.mark_set();
  end if;
  if not exists (select from pg_event_trigger where evtname = 'tablewright_set_drop') then
    create event trigger tablewright_set_drop on sql_drop execute function tablewright.leave_set();
  end if;
end $$;
alter event trigger tablewright_set enable always;
alter event trigger tablewright_set_drop enable always;

-- The wall does not see INSERT, and TRUNCATE of an empty table would lie.
create or replace function tablewright.refuse_write() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception using errcode = '55000', constraint = 'tablewright.wall',
    schema = tg_table_schema, table = tg_table_name,
    message = format('%s of external table "%s" is only possible as a statement of its own', tg_op, tg_table_name);
end $$;

-- For the gateway ----------------------------------------------------------------------------------

-- Makes an existing, empty schema one of a catalog. With a ticket only; the arguments must be literals,
-- since a ticket covers a statement's text and not its parameters.
create or replace function tablewright.manage_schema(schema_name text, catalog_name text) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp set lc_messages = 'C' as $$
declare frames text; schema_oid oid := to_regnamespace(quote_ident(schema_name));
begin
  get diagnostics frames = pg_context;
  perform tablewright.require_ticket(frames, 'manage_schema');
  if schema_oid is null then
    raise exception using errcode = '3F000', message = format('schema "%s" does not exist', schema_name);
  end if;
  if not exists (select from tablewright.catalog c where c.name = catalog_name) then
    raise exception using errcode = '42704', message = format('catalog "%s" does not exist', catalog_name);
  end if;
  if exists (select from pg_class where relnamespace = schema_oid)
      and not exists (select from tablewright.managed_schema where oid = schema_oid) then
    raise exception using errcode = '55000', message = format('schema "%s" is not empty', schema_name);
  end if;
  insert into tablewright.managed_schema (oid, name, catalog) values (schema_oid, schema_name, catalog_name)
    on conflict (oid) do nothing;
end $$;

-- Takes the wall of a shadow away, so that DROP … RESTRICT meets only dependents that are the user's. The
-- shadow must be dropped before the transaction ends. With a ticket only, its argument a literal.
create or replace function tablewright.unwall(rel oid) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp set lc_messages = 'C' as $$
declare frames text; wall text;
begin
  get diagnostics frames = pg_context;
  perform tablewright.require_ticket(frames, 'unwall');
  select c.relname into wall from tablewright.relation x join pg_class c on c.oid = x.wall where x.oid = rel;
  if found then
    execute format('drop foreign table tw_wall.%I', wall);
  end if;
end $$;

-- Gives a shadow its wall again: ALTER COLUMN … TYPE … USING does not reach foreign tables, so it runs
-- between unwall and this. With a ticket only, its argument a literal.
create or replace function tablewright.rewall(rel oid) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp set lc_messages = 'C' as $$
declare frames text; t record; new_wall text := 'w' || rel;
begin
  get diagnostics frames = pg_context;
  perform tablewright.require_ticket(frames, 'rewall');
  select c.relowner::regrole::text as owner, x.catalog into t
    from tablewright.relation x join pg_class c on c.oid = x.oid where x.oid = rel and x.wall is null;
  if not found then
    return;
  end if;
  execute format('create foreign table tw_wall.%I () inherits (%s) server %I', new_wall, rel::regclass, t.catalog);
  update tablewright.relation set wall = format('tw_wall.%I', new_wall)::regclass where oid = rel;
  execute format('alter foreign table tw_wall.%I owner to %s', new_wall, t.owner);
end $$;

-- The same as unwall for all shadows of a schema.
create or replace function tablewright.unwall_schema(schema_name text) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp set lc_messages = 'C' as $$
declare frames text; wall text;
begin
  get diagnostics frames = pg_context;
  perform tablewright.require_ticket(frames, 'unwall_schema');
  for wall in
    select w.relname from tablewright.relation x join pg_class w on w.oid = x.wall
      join pg_class c on c.oid = x.oid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = schema_name
  loop
    execute format('drop foreign table tw_wall.%I', wall);
  end loop;
end $$;

-- Changes what the registry knows of a shadow: the keys of patch are columns of tablewright.relation.
create or replace function tablewright.patch_relation(rel oid, patch jsonb) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare unknown text;
begin
  select k into unknown from jsonb_object_keys(patch) k
    where k not in ('path', 'managed', 'state', 'job_id', 'identity', 'options', 'partitioning', 'constraints')
    limit 1;
  if unknown is not null then
    raise exception using errcode = '22023', message = format('unknown key "%s"', unknown);
  end if;
  update tablewright.relation x set
      path = case when patch ? 'path' then array(select jsonb_array_elements_text(patch->'path')) else x.path end,
      managed = case when patch ? 'managed' then patch->>'managed' else x.managed end,
      state = case when patch ? 'state' then patch->>'state' else x.state end,
      job_id = case when patch ? 'job_id' then (patch->>'job_id')::uuid else x.job_id end,
      identity = case when patch ? 'identity' then patch->>'identity' else x.identity end,
      options = case when patch ? 'options' then patch->'options' else x.options end,
      partitioning = case when patch ? 'partitioning' then patch->'partitioning' else x.partitioning end,
      constraints = case when patch ? 'constraints' then patch->'constraints' else x.constraints end,
      version = x.version + 1, changed = now()
    where x.oid = rel;
  if not found then
    raise exception using errcode = '42P01', message = format('no external table has OID %s', rel);
  end if;
end $$;
revoke all on function tablewright.patch_relation(oid, jsonb) from public;

-- The same on a user's connection: with a ticket only, its arguments literals.
create or replace function tablewright.set_relation(rel oid, patch jsonb) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp set lc_messages = 'C' as $$
declare frames text;
begin
  get diagnostics frames = pg_context;
  perform tablewright.require_ticket(frames, 'set_relation');
  perform tablewright.patch_relation(rel, patch);
end $$;

-- set_relation, and the job's end in the same transaction: what is made, and that its job has succeeded, is seen
-- together. False when the job could not be ended here (tablewright.succeed_job).
create or replace function tablewright.complete(rel oid, patch jsonb, ended_job uuid) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp set lc_messages = 'C' as $$
declare frames text;
begin
  get diagnostics frames = pg_context;
  perform tablewright.require_ticket(frames, 'complete');
  perform tablewright.patch_relation(rel, patch);
  return tablewright.succeed_job(ended_job, patch->>'identity');
end $$;

-- Drops a shadow whose making failed after its transaction had committed, whoever owns it. For the gateway's
-- role, with a ticket, its argument a literal. Dependents are met by RESTRICT.
create or replace function tablewright.drop_shadow(rel oid) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp set lc_messages = 'C' as $$
declare frames text; wall text;
begin
  get diagnostics frames = pg_context;
  perform tablewright.require_ticket(frames, 'drop_shadow');
  select w.relname into wall from tablewright.relation x left join pg_class w on w.oid = x.wall where x.oid = rel;
  if not found then
    return;
  end if;
  if wall is not null then
    execute format('drop foreign table tw_wall.%I', wall);
  end if;
  execute format('drop table %s', rel::regclass);
end $$;
revoke all on function tablewright.drop_shadow(oid) from public;

-- Drops the home schema of a schema whose making failed after its transaction had committed, whoever owns it. What
-- has been made in it since is met by RESTRICT.
create or replace function tablewright.drop_shadow_schema(schema_oid oid) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp set lc_messages = 'C' as $$
declare frames text; name text;
begin
  get diagnostics frames = pg_context;
  perform tablewright.require_ticket(frames, 'drop_shadow_schema');
  select m.name into name from tablewright.managed_schema m where m.oid = schema_oid;
  if name is not null then
    execute format('drop schema %I', name);
  end if;
end $$;
revoke all on function tablewright.drop_shadow_schema(oid) from public;

-- Discovery: shadows of what a system holds beside what was made here ---------------------------------

-- The type as a shadow has it: a built-in one of that name, or text for what only the other system knows.
create or replace function tablewright.shadow_type(name text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from pg_type where oid = to_regtype(name) and typnamespace = 'pg_catalog'::regnamespace
      and typtype in ('b', 'r', 'm')) then
    return name;
  end if;
  return 'text';
exception when others then
  return 'text';
end $$;
revoke all on function tablewright.shadow_type(text) from public;

-- One column as CREATE TABLE and ADD COLUMN take it. A default is a constant or one of a few functions: what
-- comes here is chosen by the gateway.
create or replace function tablewright.shadow_column(c jsonb) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return format('%I %s', c->>'name', tablewright.shadow_type(c->>'type'))
    || case when c->>'identity' in ('ALWAYS', 'BY DEFAULT') then format(' generated %s as identity', c->>'identity')
         when c->>'default' <> '' then format(E' default (%s\n)', c->>'default') else '' end
    || case when (c->>'not_null')::boolean then ' not null' else '' end;
end $$;
revoke all on function tablewright.shadow_column(jsonb) from public;

-- Comments of a shadow and its columns, where they are others.
create or replace function tablewright.comment_shadow(rel oid, t jsonb) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare c jsonb;
begin
  if coalesce(obj_description(rel, 'pg_class'), '') <> coalesce(t->>'comment', '') then
    execute format('comment on table %s is %L', rel::regclass, nullif(t->>'comment', ''));
  end if;
  for c in
    select x from jsonb_array_elements(t->'columns') x join pg_attribute a on a.attrelid = rel and a.attname = x->>'name'
      where coalesce(col_description(rel, a.attnum), '') <> coalesce(x->>'comment', '') and not a.attisdropped
  loop
    execute format('comment on column %s.%I is %L', rel::regclass, c->>'name', nullif(c->>'comment', ''));
  end loop;
end $$;
revoke all on function tablewright.comment_shadow(oid, jsonb) from public;

-- Gives a column of a shadow another type. Where PostgreSQL knows no way from one to the other the column is
-- made anew: there are no values.
create or replace function tablewright.retype_shadow(rel oid, column_name name, c jsonb, type text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  execute format('alter table %s alter column %I drop default, alter column %I type %s', rel::regclass, column_name, column_name, type);
exception when datatype_mismatch or cannot_coerce or feature_not_supported or invalid_column_definition or syntax_error then
  execute format('alter table %s drop column %I', rel::regclass, column_name);
  execute format('alter table %s add column %s', rel::regclass, tablewright.shadow_column(c));
end $$;
revoke all on function tablewright.retype_shadow(oid, name, jsonb, text) from public;

-- Brings an observed shadow to the columns and the key that its table has now. Tells whether it had others.
create or replace function tablewright.converge_shadow(rel oid, t jsonb) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  r record; changed boolean := false; former name;
  key name[] := array(select jsonb_array_elements_text(t->'key')); had name[];
begin
  select k.conname, array(select a.attname from unnest(k.conkey) with ordinality u(num, place)
      join pg_attribute a on a.attrelid = rel and a.attnum = u.num order by u.place) into former, had
    from pg_constraint k where k.conrelid = rel and k.contype = 'p';
  if former is not null and had is distinct from key then
    execute format('alter table %s drop constraint %I', rel::regclass, former);
    changed := true;
  end if;
  for r in
    select a.attname, a.attnotnull, format_type(a.atttypid, a.atttypmod) as type, x as wanted,
        tablewright.shadow_type(x->>'type') as wanted_type, (x->>'not_null')::boolean or x->>'name' = any (key) as wanted_not_null
      from (select * from pg_attribute where attrelid = rel and attnum > 0 and not attisdropped) a
      full join jsonb_array_elements(t->'columns') with ordinality as w(x, place) on a.attname = w.x->>'name' order by w.place
  loop
    if r.wanted is null then
      execute format('alter table %s drop column %I', rel::regclass, r.attname);
      changed := true;
    elsif r.attname is null then
      execute format('alter table %s add column %s', rel::regclass, tablewright.shadow_column(r.wanted));
      changed := true;
    else
      if r.type <> r.wanted_type then
        perform tablewright.retype_shadow(rel, r.attname, r.wanted, r.wanted_type);
        changed := true;
      end if;
      if r.attnotnull <> r.wanted_not_null then
        execute format('alter table %s alter column %I %s not null', rel::regclass, r.attname,
          case when r.wanted_not_null then 'set' else 'drop' end);
        changed := true;
      end if;
    end if;
  end loop;
  if key <> '{}' and (former is null or had is distinct from key) then
    execute format('alter table %s add primary key (%s)', rel::regclass,
      (select string_agg(quote_ident(k), ', ' order by place) from unnest(key) with ordinality u(k, place)));
    changed := true;
  end if;
  return changed;
end $$;
revoke all on function tablewright.converge_shadow(oid, jsonb) from public;

-- One table that a system holds: its shadow is made, or brought up to date when nobody has taken it over.
create or replace function tablewright.observe_table(catalog_name text, owner text, t jsonb) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare rel oid; x tablewright.relation; changed boolean := false;
begin
  rel := to_regclass(format('%I.%I', t->>'schema', t->>'name'));
  if rel is not null then
    select * into x from tablewright.relation where oid = rel;
    if x.oid is null or x.managed <> 'observed' then
      return 'same';
    end if;
    changed := tablewright.converge_shadow(rel, t);
  else
    execute format('create table %I.%I (%s)', t->>'schema', t->>'name', (select string_agg(part, ', ' order by place) from (
      select tablewright.shadow_column(c) as part, place from jsonb_array_elements(t->'columns') with ordinality e(c, place)
      union all
      select 'primary key (' || string_agg(quote_ident(k), ', ' order by place) || ')', 1e9
        from jsonb_array_elements_text(t->'key') with ordinality u(k, place) having count(*) > 0) parts));
    rel := format('%I.%I', t->>'schema', t->>'name')::regclass;
    execute format('alter table %s owner to %I', rel::regclass, owner);
    perform tablewright.register_relation(rel);
  end if;
  perform tablewright.comment_shadow(rel, t);
  select * into x from tablewright.relation where oid = rel;
  if changed or x.managed <> 'observed' or x.state <> 'ready' or x.identity is distinct from t->>'identity'
      or x.options <> t->'options' or x.partitioning <> t->'partitioning' then
    perform tablewright.patch_relation(rel, jsonb_build_object('managed', 'observed', 'state', 'ready',
      'path', t->'path', 'identity', t->'identity', 'options', t->'options', 'partitioning', t->'partitioning'));
  end if;
  return case when x.managed <> 'observed' then 'made' when changed then 'changed' else 'same' end;
end $$;
revoke all on function tablewright.observe_table(text, text, jsonb) from public;

-- A schema that a system holds.
create or replace function tablewright.observe_schema(catalog_name text, owner text, schema_name text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare schema_oid oid := to_regnamespace(quote_ident(schema_name));
begin
  if exists (select from tablewright.managed_schema where oid = schema_oid and catalog = catalog_name) then
    return;
  end if;
  if schema_oid is not null then
    raise exception using errcode = '42P06', message = format('schema "%s" of the home database has the name of one of the catalog', schema_name);
  end if;
  execute format('create schema %I authorization %I', schema_name, owner);
  insert into tablewright.managed_schema (oid, name, catalog)
    values (to_regnamespace(quote_ident(schema_name)), schema_name, catalog_name);
end $$;
revoke all on function tablewright.observe_schema(text, text, text) from public;

-- Takes an observed shadow away whose table is gone.
create or replace function tablewright.forget_table(rel oid, wall oid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if wall is not null then
    execute format('drop foreign table %s', wall::regclass);
  end if;
  execute format('drop table %s', rel::regclass);
end $$;
revoke all on function tablewright.forget_table(oid, oid) from public;

-- One batch of what a system holds: {"schemas": [name], "tables": [definition], "all": {schema: [table]}}. The
-- last, a list of everything, takes away what is not in it. With a ticket only, its arguments literals. What
-- cannot be done for one object is told and keeps none of the others: the answer is
-- {"made": n, "changed": n, "gone": n, "kept": [table], "problems": [text]}.
create or replace function tablewright.observe(catalog_name text, batch jsonb) returns jsonb
language plpgsql security definer
-- What is found was there before: it belongs to no set.
set search_path = pg_catalog, pg_temp set lc_messages = 'C' set tablewright.set = '' as $$
declare
  frames text; owner text; item jsonb; name text; r record; outcome text;
  made int := 0; changed int := 0; gone int := 0; kept jsonb := '[]'; problems jsonb := '[]';
begin
  get diagnostics frames = pg_context;
  perform tablewright.require_ticket(frames, 'observe');
  select pg_get_userbyid(s.srvowner) into owner from tablewright.catalog c join pg_foreign_server s on s.oid = c.server
    where c.name = catalog_name;
  if owner is null then
    raise exception using errcode = '42704', message = format('catalog "%s" does not exist', catalog_name);
  end if;
  for name in select jsonb_array_elements_text(batch->'schemas') loop
    begin
      perform tablewright.observe_schema(catalog_name, owner, name);
    exception when others then
      problems := problems || to_jsonb(format('schema %I: %s', name, sqlerrm));
    end;
  end loop;
  for item in select jsonb_array_elements(batch->'tables') loop
    begin
      outcome := tablewright.observe_table(catalog_name, owner, item);
      made := made + (outcome = 'made')::int;
      changed := changed + (outcome = 'changed')::int;
    exception when others then
      problems := problems || to_jsonb(format('table %I.%I: %s', item->>'schema', item->>'name', sqlerrm));
    end;
  end loop;
  if batch ? 'all' then
    for r in
      select x.oid, x.wall, n.nspname, c.relname from tablewright.relation x
        join pg_class c on c.oid = x.oid join pg_namespace n on n.oid = c.relnamespace
        where x.catalog = catalog_name and x.managed = 'observed' and x.state = 'ready'
          and not coalesce(batch->'all'->n.nspname ? c.relname, false)
    loop
      begin
        perform tablewright.forget_table(r.oid, r.wall);
        gone := gone + 1;
      exception when dependent_objects_still_exist then
        kept := kept || to_jsonb(format('%I.%I', r.nspname, r.relname));
      end;
    end loop;
    for r in select m.name from tablewright.managed_schema m
      where m.catalog = catalog_name and m.name <> catalog_name and not batch->'all' ? m.name
        and not exists (select from pg_class where relnamespace = m.oid)
    loop
      execute format('drop schema %I', r.name);
    end loop;
    update tablewright.catalog set refreshed = now(), refresh_error = null where catalog.name = catalog_name;
  end if;
  return jsonb_build_object('made', made, 'changed', changed, 'gone', gone, 'kept', kept, 'problems', problems);
end $$;

-- What a view is, with the schemas of all that it names, and which of its options are set. With the caller's rights.
create or replace function tablewright.view(rel oid) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
  select jsonb_build_object('definition', pg_get_viewdef(c.oid), 'options', coalesce(to_jsonb(c.reloptions), '[]'))
    from pg_class c where c.oid = rel and c.relkind = 'v'
$$;

-- The query of a view that a shadow is reached through; null for every other relation. With the caller's rights.
create or replace function tablewright.expansion(rel oid) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
  with recursive v(oid) as (
    select rel
    union
    select d.refobjid from v join pg_rewrite r on r.ev_class = v.oid
      join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass
  )
  select jsonb_build_object('definition', pg_get_viewdef(c.oid), 'owner', pg_get_userbyid(c.relowner),
      'barrier', coalesce(c.reloptions @> '{security_barrier=true}', false),
      'invoker', coalesce(c.reloptions @> '{security_invoker=true}', false))
    from pg_class c where c.oid = rel and c.relkind = 'v' and exists (select from v join tablewright.relation x on x.oid = v.oid)
$$;

-- Raises exactly the error that it is given, so that the session is in the state that PostgreSQL itself
-- leaves after one. Detail and hint may be null.
create or replace function tablewright.raise(sqlstate text, message text, detail text default null, hint text default null)
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if detail is null and hint is null then
    raise exception using errcode = $1, message = $2;
  elsif hint is null then
    raise exception using errcode = $1, message = $2, detail = $3;
  elsif detail is null then
    raise exception using errcode = $1, message = $2, hint = $4;
  end if;
  raise exception using errcode = $1, message = $2, detail = $3, hint = $4;
end $$;

-- What a login needs to know of a role, the stored password included: for the gateway's role only.
create or replace function tablewright.role(role_name text) returns table (
  can_login boolean, valid_until timestamptz, superuser boolean, connection_limit integer, verifier text)
language plpgsql stable rows 1 security definer set search_path = pg_catalog, pg_temp as $$
begin -- plpgsql keeps its plans; a function in SQL would be planned again for every client that comes
  return query select rolcanlogin, nullif(rolvaliduntil, 'infinity'), rolsuper, rolconnlimit, rolpassword
    from pg_authid where rolname = role_name;
end
$$;
revoke all on function tablewright.role(text) from public;

-- Roles made by administrators ---------------------------------------------------------------------------

-- Whether a role is more than an administrator may touch: a superuser, the gateway's own role, one that
-- may make roles, replicate or pass by row security, one of PostgreSQL's own, or a member of such.
create or replace function tablewright.is_powerful(role_name text) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
  with recursive up as (
    select oid from pg_roles where rolname = role_name
    union select m.roleid from pg_auth_members m join up on m.member = up.oid)
  select role_name like 'pg\_%' or role_name = current_user or exists (
    select from up join pg_roles r on r.oid = up.oid
      where r.rolsuper or r.rolcreaterole or r.rolreplication or r.rolbypassrls or r.rolname = current_user
        or r.rolname like 'pg\_%' and r.rolname not in
          ('pg_monitor', 'pg_read_all_settings', 'pg_read_all_stats', 'pg_stat_scan_tables'))
$$;
revoke all on function tablewright.is_powerful(text) from public;

-- Runs a statement on roles for a member of admin. The gateway has looked at it and says whom it is about;
-- the ticket shows that it did, in this very session.
create or replace function tablewright.change_roles(change text, ticket text) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  c jsonb := change;
  name text;
begin
  if not coalesce((select ticket = encode(sha256(s.outer_block || sha256(s.inner_block ||
        convert_to(pg_backend_pid() || '|roles|' || change, 'UTF8'))), 'hex') from tablewright.secret s), false)
      or not exists (select from pg_roles where rolname = 'admin' and pg_has_role(session_user, oid, 'member')) then
    raise exception using errcode = '42501', message = 'permission denied to change roles';
  end if;
  for name in select jsonb_array_elements_text(c->'roles') loop
    if tablewright.is_powerful(name) then
      raise exception using errcode = '42501', message = format('permission denied for role "%s"', name),
        detail = 'It has rights that administrators of the gateway do not have.';
    end if;
  end loop;
  for name in select jsonb_array_elements_text(c->'ended') loop
    if name in ('admin', 'tablewright_monitor') then
      raise exception using errcode = '42501', message = format('role "%s" cannot be dropped or renamed', name),
        detail = 'The gateway depends on it.';
    end if;
  end loop;
  execute c->>'text';
end $$;
grant execute on function tablewright.change_roles(text, text) to public; -- the ticket decides

-- Grows with every change of this file that a gateway depends on.
create or replace function tablewright.setup_version() returns integer
language sql immutable set search_path = pg_catalog, pg_temp as $$ select 5 $$;

-- Grants to the gateway's role. It owns neither the registry nor the guard: what it could change there
-- would run with the superuser's rights.
grant usage, create on schema tablewright to :"owner";
grant select, insert on tablewright.secret to :"owner";
grant select, update on tablewright.catalog, tablewright.managed_schema, tablewright.relation to :"owner";
grant execute on function tablewright.role(text), tablewright.patch_relation(oid, jsonb),
  tablewright.drop_shadow(oid), tablewright.drop_shadow_schema(oid) to :"owner";

-- The first role that may register catalogs. It has no password yet.
select 'create role admin login' where not exists (select from pg_roles where rolname = 'admin') \gexec
grant create, temporary on database :"database" to admin;
grant usage, create on schema public to admin;
grant tablewright_monitor to admin;
grant usage on foreign data wrapper postgres, mysql, kafka, iceberg, venice, kubernetes to admin;

-- Roles are made for administrators with the gateway's own right to do so, and no more.
grant admin, tablewright_monitor to :"owner" with admin option;
grant execute on function tablewright.is_powerful(text) to :"owner";
alter function tablewright.change_roles(text, text) owner to :"owner";

commit;
