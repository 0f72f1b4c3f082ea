-- What the gateway asks of home for a definition, in fewer questions.
--
-- A snapshot brings the session's settings and search path with it, and takes one short text to ask for. What a
-- statement does not name is not looked for, and relations are found by their indexes, however many there are.

-- The function of three parameters stays for gateways of an earlier release that are still there.

-- +goose Up
-- +goose StatementBegin
-- With the caller's rights, and with a search path of its own: operators that a user made must not get
-- between the gateway and the catalogue. What depends on the session's path is found by the caller.
create function tablewright.snapshot(wanted jsonb, path name[], visible name[], type_oids oid[], settings json) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  oids oid[]; schemas text[];
  catalogs_json json; schemas_json json; relations_json json := '[]'; types_json json := '[]';
begin
  schemas := array(select jsonb_array_elements_text(wanted->'schemas')) || array_remove(path::text[], 'pg_catalog');
  oids := array(
    select c.oid from jsonb_to_recordset(wanted->'relations') w(schema text, name text)
      join pg_namespace n on n.nspname = w.schema
      join pg_class c on c.relnamespace = n.oid and c.relname = w.name
      where w.schema <> ''
    union
    -- Without a schema: the first one of the search path that has the name, temporary tables included.
    (select distinct on (w.name) c.oid from jsonb_to_recordset(wanted->'relations') w(schema text, name text)
      cross join unnest(path) with ordinality p(schema, place)
      join pg_namespace n on n.nspname = p.schema
      join pg_class c on c.relnamespace = n.oid and c.relname = w.name
      where w.schema = '' order by w.name, p.place)
    union
    select c.oid from jsonb_array_elements_text(wanted->'all_in') s
      join pg_namespace n on n.nspname = s join pg_class c on c.relnamespace = n.oid
      where c.relkind in ('r', 'v', 'm', 'f', 'p'));

  catalogs_json := (select coalesce(json_agg(json_build_object(
        'name', c.name, 'type', w.fdwname, 'generation', c.generation, 'owner', pg_get_userbyid(s.srvowner),
        'oid', c.server::bigint, 'default_schema', c.default_schema, 'comment', (select y.description from pg_description y
          where y.objoid = c.server and y.classoid = 'pg_foreign_server'::regclass and y.objsubid = 0),
        'options', (select json_agg(json_build_object('name', o.option_name, 'value', o.option_value) order by o.place)
          from rows from (pg_options_to_table(s.srvoptions)) with ordinality o(option_name, option_value, place)))), '[]')
    from tablewright.catalog c join pg_foreign_server s on s.oid = c.server
    join pg_foreign_data_wrapper w on w.oid = s.srvfdw
    where c.name in (select jsonb_array_elements_text(wanted->'catalogs'))
      or c.name in (select x.catalog from unnest(oids) o join tablewright.relation x on x.oid = o)
      or c.name in (select m.catalog from tablewright.managed_schema m where m.name = any (schemas)));

  schemas_json := (select coalesce(json_agg(json_build_object(
        'name', n.nspname, 'oid', n.oid::bigint, 'owner', pg_get_userbyid(n.nspowner), 'catalog', m.catalog)), '[]')
    from pg_namespace n left join tablewright.managed_schema m on m.oid = n.oid
    where n.nspname = any (schemas) or n.oid in (select relnamespace from pg_class where oid = any (oids)));

  if oids = '{}' then
    null;
  elsif wanted->'brief' = 'true' and lower(current_setting('tablewright.mode', true)) is distinct from 'apply' then
    -- CREATE TABLE IF NOT EXISTS goes by what is there, not by how it is defined.
    relations_json := (select coalesce(json_agg(json_build_object(
          'oid', c.oid::bigint, 'schema', n.nspname, 'name', c.relname, 'kind', c.relkind,
          'owner', pg_get_userbyid(c.relowner),
          'managed', x.managed, 'catalog', x.catalog, 'path', x.path, 'identity', x.identity, 'state', x.state,
          'job_id', x.job_id)), '[]')
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      left join tablewright.relation x on x.oid = c.oid
      where c.oid = any (oids));
  else
    relations_json := (select coalesce(json_agg(json_build_object(
          'oid', c.oid::bigint, 'schema', n.nspname, 'name', c.relname, 'kind', c.relkind,
          'owner', pg_get_userbyid(c.relowner), 'comment', (select y.description from pg_description y
            where y.objoid = c.oid and y.classoid = 'pg_class'::regclass and y.objsubid = 0),
          'managed', x.managed, 'catalog', x.catalog, 'path', x.path, 'identity', x.identity, 'state', x.state,
          'job_id', x.job_id, 'options', x.options, 'partitioning', x.partitioning, 'foreign_keys', x.constraints,
          'columns', (select json_agg(json_build_object(
                'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'not_null', a.attnotnull,
                'default', case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end,
                'identity', case a.attidentity when 'a' then 'ALWAYS' when 'd' then 'BY DEFAULT' end,
                'comment', (select y.description from pg_description y
                  where y.objoid = c.oid and y.classoid = 'pg_class'::regclass and y.objsubid = a.attnum)) order by a.attnum)
              from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
              where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
          'primary_key', (select json_agg(a.attname order by k.place)
              from pg_constraint p cross join unnest(p.conkey) with ordinality k(attnum, place)
              join pg_attribute a on a.attrelid = p.conrelid and a.attnum = k.attnum
              where p.conrelid = c.oid and p.contype = 'p'),
          'key_name', (select p.conname from pg_constraint p where p.conrelid = c.oid and p.contype = 'p'),
          'constraints', (select json_agg(json_build_object('name', k.conname,
                'kind', case k.contype when 'c' then 'CHECK' when 'u' then 'UNIQUE' else 'FOREIGN KEY' end,
                'definition', pg_get_constraintdef(k.oid)) order by k.conname)
              from pg_constraint k where k.conrelid = c.oid and k.contype in ('c', 'u', 'f')),
          'dependents', (select json_agg(distinct pg_describe_object('pg_class'::regclass, r.ev_class, 0))
              from pg_depend dep join pg_rewrite r on dep.classid = 'pg_rewrite'::regclass and r.oid = dep.objid
              where dep.refclassid = 'pg_class'::regclass and dep.refobjid = c.oid and r.ev_class <> c.oid))), '[]')
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      left join tablewright.relation x on x.oid = c.oid
      where c.oid = any (oids));
  end if;

  if type_oids <> '{}' then
    types_json := (select coalesce(json_agg(json_build_object('asked', wanted->'types'->>(t.place - 1)::int,
          'name', format_type(y.oid, null), 'kind', y.typtype,
          'base', case when y.typtype = 'd' then format_type(y.typbasetype, y.typtypmod) end)), '[]')
      from unnest(type_oids) with ordinality t(oid, place) join pg_type y on y.oid = t.oid);
  end if;

  return json_build_object('database', current_database(), 'user', current_user, 'search_path', visible, 'settings', settings,
    'catalogs', catalogs_json, 'schemas', schemas_json, 'relations', relations_json, 'types', types_json)::text;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
-- Under the session's own path, so every name here has its schema.
create function tablewright.snapshot(wanted jsonb) returns text
language plpgsql stable set plan_cache_mode = force_generic_plan as $$
begin
  return tablewright.snapshot(wanted, pg_catalog.current_schemas(true), pg_catalog.current_schemas(false),
    array(select pg_catalog.to_regtype(t.name)::pg_catalog.oid
      from pg_catalog.jsonb_array_elements_text(wanted operator(pg_catalog.->) 'types') with ordinality t(name, place)
      order by t.place),
    (select pg_catalog.json_object_agg(n, pg_catalog.current_setting(n, true))
      from pg_catalog.jsonb_array_elements_text(wanted operator(pg_catalog.->) 'settings') n));
end $$;
-- +goose StatementEnd
grant execute on function tablewright.snapshot(jsonb), tablewright.snapshot(jsonb, name[], name[], oid[], json) to public;

-- +goose StatementBegin
-- Ends a job as succeeded in the transaction that calls it, with its event and its attempt's row, as the gateway
-- does in a transaction of its own (home/history/transition.go). False when the job is not to be seen, which it is not
-- by a transaction whose snapshot is older than the job, has ended or is being written: the gateway sees to it then.
create function tablewright.succeed_job(ended_job uuid, identity text) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare former text; tries integer; stamp bigint; resource text; moment timestamptz := clock_timestamp();
begin
  select state, attempt, version + 1, coalesce(resource_uid, '') into former, tries, stamp, resource
    from tablewright.job where job_id = ended_job and not ended for update skip locked; -- a commit waits for nobody
  if not found then
    return false;
  end if;
  update tablewright.job set state = 'succeeded', reason = null, error_code = null, error_message = null,
      error_detail = null, target_uid = coalesce(nullif(identity, ''), target_uid), finished = moment, updated = moment,
      version = stamp
    where job_id = ended_job;
  insert into tablewright.job_event (job_id, key, attempt, from_state, to_state, at)
    values (ended_job, 'v' || stamp, tries, former, 'succeeded', moment) on conflict (job_id, key) do nothing;
  insert into tablewright.job_attempt (job_id, attempt, resource_uid, state, started, finished)
    values (ended_job, tries, resource, 'succeeded', moment, moment)
    on conflict (job_id, attempt, resource_uid) do update set
      state = excluded.state, finished = excluded.finished, error_code = null, error_message = null;
  return true;
end $$;
-- +goose StatementEnd
revoke all on function tablewright.succeed_job(uuid, text) from public; -- tablewright.complete calls it

-- +goose StatementBegin
-- What a transaction sees of catalogs now, whether it has changed them itself, and whether a job is at work on one of
-- the targets. Asked once the locks of a statement are held, behind them in the same exchange.
create function tablewright.standing(catalogs jsonb, targets jsonb) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return json_build_object('isolation', current_setting('transaction_isolation'),
    'catalogs', (select json_agg(json_build_object('name', c.name, 'oid', c.server::bigint, 'generation', c.generation,
        'own', c.xmin = pg_current_xact_id_if_assigned()::xid))
      from tablewright.catalog c where c.name in (select jsonb_array_elements_text(standing.catalogs))),
    'busy', exists (select from tablewright.job j where not j.ended
      and j.targets && array(select jsonb_array_elements_text(standing.targets))))::text;
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
-- Whether CREATE TABLE IF NOT EXISTS of a table that was there has nothing to do but to say so: the table is still
-- there, the role may make tables in its schema, and nobody has its name's lock or changes what it stands in. Takes
-- these locks. Of an object that is gone the functions about rights answer null. A transaction that may not write is
-- refused by PostgreSQL, and one with an old snapshot may know the table by a name that it has no longer.
create function tablewright.present(key text, object oid, shares jsonb) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return current_setting('transaction_read_only') = 'off' and current_setting('transaction_isolation') = 'read committed'
    and pg_try_advisory_xact_lock(hashtextextended(key, 0))
    and (select coalesce(bool_and(pg_try_advisory_xact_lock_shared(hashtextextended('tablewright:' || k, 0))), true)
      from jsonb_array_elements_text(shares) k)
    and has_table_privilege(object, 'SELECT') is not null
    and coalesce(has_schema_privilege((select relnamespace from pg_class where oid = object), 'CREATE'), false);
end $$;
-- +goose StatementEnd
grant execute on function tablewright.standing(jsonb, jsonb), tablewright.present(text, oid, jsonb) to public;

-- +goose Down
drop function tablewright.present(text, oid, jsonb);
drop function tablewright.standing(jsonb, jsonb);
drop function tablewright.succeed_job(uuid, text);
drop function tablewright.snapshot(jsonb);
drop function tablewright.snapshot(jsonb, name[], name[], oid[], json);
