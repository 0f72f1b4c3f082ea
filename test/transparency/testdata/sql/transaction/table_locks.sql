create table t (n int);
create view v as select * from t;
begin;
lock table t in access exclusive mode;
\! psql -X -c "set lock_timeout = 40; select * from t" -c 'lock t in access share mode nowait' -c 'begin; lock table t nowait'
\! psql -X -c 'begin; lock table t in access share mode nowait; commit;'
select mode, granted from pg_locks where relation = 't'::regclass order by 1;
commit;
begin;
lock t, v in share row exclusive mode;
lock only t in row share mode nowait;
lock table nope in share mode;
rollback;
lock table t;
begin;
lock table pg_catalog.pg_authid;
rollback;
