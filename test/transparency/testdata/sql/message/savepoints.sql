--: message
begin; create table t (n int); savepoint a; insert into t values (1); rollback to a; insert into t values (2); release a; commit; table t
