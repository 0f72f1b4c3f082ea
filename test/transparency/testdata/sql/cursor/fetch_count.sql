\set FETCH_COUNT 3
create table t as select g as n, repeat('x', g) as v from generate_series(1, 10) g;
select * from t order by n;
select n / (5 - n) from t order by n;
select * from t where false;
\a
select * from t order by n;
begin;
select n from t order by n;
rollback;
\set FETCH_COUNT 0
select 1;
