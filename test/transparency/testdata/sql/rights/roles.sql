--: role createrole
create role a;
create role b login password 'x' connection limit 3 valid until '2030-01-01';
create user c in role a;
create group g role c;
create role a;
create role d superuser;
create role d replication;
create role d bypassrls;
create role pg_mine;
create role d nonsense;
create role "Odd Name" nologin inherit;
alter role a createdb;
alter role a rename to a2;
alter user c with nologin;
alter group g add user b;
alter group g drop user b;
alter group g drop user nope;
alter group g rename to g2;
alter role b set work_mem = '5MB';
alter role b in database tablewright set search_path = x;
alter role b reset work_mem;
alter role b reset all;
alter role all set work_mem = '1MB';
alter role nope login;
alter role c superuser;
alter role current_user connection limit 50;
alter user writer set timezone = 'UTC';
grant a2 to b with admin option;
grant a2, g2 to b granted by current_user;
revoke admin option for a2 from b;
grant b to a2;
grant nope to a2;
grant a2 to nope;
revoke a2 from c;
grant a2 to a2;
\du a2
\du+ b
\du "Odd Name"
\drds b
select rolname, rolsuper, rolcanlogin, rolconnlimit, rolvaliduntil from pg_roles where rolname in ('a2', 'b', 'c', 'g2') order by 1;
select pg_has_role('c', 'g2', 'member');
drop role a2, b, c;
drop user nope;
drop group g2;
drop role if exists nope, c;
drop role "Odd Name";
drop role writer;
