--: message
create table t (n int); prepare p(int) as insert into t values ($1) returning n; execute p(1); execute p(2); deallocate p; select * from t; execute p(3)
