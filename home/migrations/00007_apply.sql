-- What `tablewright apply` needs of the home database: the objects of a set by name, and transactions that
-- rehearse statements and cannot be committed.

-- +goose Up
-- name is the object's in SQL, parts are those of the name.
create view tablewright.set_objects as
  select o.set_name, x.kind, array_to_string(array(select quote_ident(p) from unnest(x.parts) with ordinality u(p, n) order by n), '.') as name,
      x.parts, x.catalog, x.kind in ('table', 'materialized view') as holds_data,
      -- Another one for another object of the name, and for another definition of a managed table.
      o.object || ':' || coalesce((select r.version from tablewright.relation r where o.class = 'pg_class'::regclass and r.oid = o.object), 0) as version,
      pg_get_userbyid(x.owner) as owner, o.made, o.made_by
    from tablewright.set_object o join (
      select 'pg_foreign_server'::regclass as class, s.oid,
          case when c.server is null then 'server' else 'catalog' end as kind, c.name as catalog,
          array[s.srvname::text] as parts, s.srvowner as owner
        from pg_foreign_server s left join tablewright.catalog c on c.server = s.oid
      union all
      select 'pg_namespace'::regclass, n.oid, 'schema', m.catalog,
          case when m.catalog is null or n.nspname = m.catalog then array[n.nspname::text]
            else array[m.catalog, substr(n.nspname, length(m.catalog) + 2)] end, n.nspowner
        from pg_namespace n left join tablewright.managed_schema m on m.oid = n.oid
      union all
      select 'pg_class'::regclass, r.oid, case r.relkind when 'v' then 'view' when 'm' then 'materialized view' else 'table' end, m.catalog,
          case when m.catalog is null or n.nspname = m.catalog then array[n.nspname::text]
            else array[m.catalog, substr(n.nspname, length(m.catalog) + 2)] end || r.relname::text, r.relowner
        from pg_class r join pg_namespace n on n.oid = r.relnamespace
        left join tablewright.managed_schema m on m.oid = n.oid
        where r.relkind in ('r', 'p', 'v', 'm')
    ) x on x.class = o.class and x.oid = o.object;
grant select on tablewright.set_objects to public;

create table tablewright.rehearsal (xid xid8 not null default pg_current_xact_id());

-- +goose StatementBegin
create function tablewright.refuse_rehearsal() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception using errcode = '25000', message = 'a transaction of tablewright.dry_run = stage cannot be committed',
    hint = 'Use ROLLBACK.';
end $$;
-- +goose StatementEnd
create constraint trigger never after insert on tablewright.rehearsal
  deferrable initially deferred for each row execute function tablewright.refuse_rehearsal();

-- +goose StatementBegin
-- Whoever calls this can only roll back: to a savepoint before it, or the transaction.
create function tablewright.rehearse() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into tablewright.rehearsal default values;
end $$;
-- +goose StatementEnd
grant execute on function tablewright.rehearse() to public;

-- +goose Down
drop function tablewright.rehearse();
drop table tablewright.rehearsal;
drop function tablewright.refuse_rehearsal();
drop view tablewright.set_objects;
