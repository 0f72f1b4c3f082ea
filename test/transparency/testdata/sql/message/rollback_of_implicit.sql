--: message
create table t (n int); insert into t values (1); rollback; select * from t
