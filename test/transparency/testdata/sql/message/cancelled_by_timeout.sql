--: message
create table t (n int); set statement_timeout = 50; select pg_sleep(3); select 1
