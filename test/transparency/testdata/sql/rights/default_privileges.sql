--: role createrole
create role viewer;
alter default privileges in schema writer grant select on tables to viewer;
alter default privileges for role writer grant execute on functions to viewer;
alter default privileges revoke execute on routines from public;
alter default privileges grant usage on sequences to viewer with grant option;
alter default privileges grant usage on types to viewer;
alter default privileges grant usage, create on schemas to viewer;
create table t (a int);
create function f() returns int language sql as 'select 1';
create sequence q;
create schema s2;
\ddp
\dp t
\df+ f
\dn+ s2
alter default privileges for role admin grant select on tables to viewer;
alter default privileges in schema nope grant select on tables to viewer;
alter default privileges grant insert on sequences to viewer;
alter default privileges in schema writer grant usage on schemas to viewer;
drop role viewer;
drop owned by viewer;
drop role viewer;
