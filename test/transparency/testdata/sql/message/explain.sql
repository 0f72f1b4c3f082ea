--: message
create table t (n int); explain (costs off) select * from t; explain (costs off) insert into t values (1); select 'end'
