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
