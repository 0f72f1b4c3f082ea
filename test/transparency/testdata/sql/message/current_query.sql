--: message
create table t (n int); select current_query(); select query from pg_stat_activity where pid = pg_backend_pid(); insert into t values (1)
