create table t (n int primary key);
begin;
insert into t values (1);
\! psql -X -c 'select * from t'
\! psql -X -c "set lock_timeout = '30ms'; insert into t values (1)"
commit;
\! psql -X -c 'select * from t' -c 'insert into t values (1)'
begin isolation level repeatable read;
select count(*) from t;
\! psql -X -q -c 'update t set n = 100 where n = 1'
select * from t;
update t set n = 5;
rollback;
begin isolation level serializable;
select sum(n) from t;
\! psql -X -q -c 'begin isolation level serializable; select sum(n) from t; insert into t values (2); commit'
insert into t values (3);
commit;
select * from t order by n;
