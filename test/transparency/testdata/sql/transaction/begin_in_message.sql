--: message
create table t (n int); begin; insert into t values (1); commit; insert into t values (2); savepoint s; select 1
