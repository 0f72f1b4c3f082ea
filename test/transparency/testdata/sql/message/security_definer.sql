--: message
create function f() returns text language sql security definer set search_path = pg_catalog as 'select current_user::text'; select f(); create table t (n int); insert into t values (1); table t
