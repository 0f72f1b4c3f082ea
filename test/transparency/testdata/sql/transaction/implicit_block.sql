--: message
create table t (n int); insert into t values (1); insert into t values (2), (3); select sum(n) from t; select 1/0; select 'never'
