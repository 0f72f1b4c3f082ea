\set ON_ERROR_ROLLBACK on
create table t (n int primary key);
begin;
insert into t values (1);
insert into t values (1);
insert into t values (2);
select broken;
commit;
select * from t order by n;
