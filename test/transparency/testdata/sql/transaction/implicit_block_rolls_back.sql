create table t (n int);
insert into t values (1)\; insert into t values (2)\; select 1/0\; insert into t values (3);
select * from t;
insert into t values (4)\; select * from t;
begin\; insert into t values (5)\; commit\; select 1/0;
select * from t order by n;
begin\; insert into t values (6)\; select n/0 from t\; commit;
rollback;
select count(*) from t;
