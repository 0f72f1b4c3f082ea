--: role createrole
create role r1;
create role r2;
create schema s;
create sequence s.q;
create function s.f() returns int language sql as 'select 1';
create procedure s.p() language sql as 'select 1';
create type s.ty as enum ('a');
create domain s.d as int;
grant usage, create on schema s to r1;
grant usage on sequence s.q to r1;
grant all on all sequences in schema s to r2;
grant execute on function s.f() to r1;
grant execute on all functions in schema s to r2;
grant execute on procedure s.p to r1;
grant execute on all routines in schema s to r1;
grant usage on type s.ty to r1;
grant usage on domain s.d to r2;
grant connect on database tablewright to r1;
grant set on parameter work_mem to r1;
grant alter system on parameter work_mem to r1;
grant usage on language plpgsql to r1;
grant usage on foreign data wrapper iceberg to r1;
grant usage on foreign server nope to r1;
grant create on tablespace pg_default to r1;
grant select on large object 1 to r1;
\dn+ s
\df+ s.f
\dT+ s.ty
revoke usage on schema s from r1, r2;
revoke all on function s.f from r1, public;
revoke all on schema s from r1 cascade;
select nspacl from pg_namespace where nspname = 's';
select proacl from pg_proc where proname = 'f' and pronamespace = 's'::regnamespace;
drop owned by r1, r2;
drop role r1, r2;
