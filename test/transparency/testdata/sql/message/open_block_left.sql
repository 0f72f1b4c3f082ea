--: message
begin; create table t (n int); insert into t values (1); select * from t
