--: message
create table t (a int); create index concurrently i on t (a); select 1
