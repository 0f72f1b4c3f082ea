--: message
begin; create table t (n int); insert into t values (1); commit; begin; insert into t values (2); rollback; select * from t
