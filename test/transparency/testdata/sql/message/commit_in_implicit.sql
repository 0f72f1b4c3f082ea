--: message
create table t (n int); insert into t values (1); commit; select * from t; select 1/0
