--: message
create temp table t (n int) on commit drop; insert into t values (1); select * from t; commit; select * from t
