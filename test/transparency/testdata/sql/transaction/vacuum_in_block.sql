create table t (n int);
begin;
vacuum t;
rollback;
begin;
create index concurrently i on t (n);
rollback;
begin;
reindex index concurrently i;
rollback;
create index concurrently i on t (n);
reindex index concurrently i;
reindex table concurrently t;
drop index concurrently i;
\d t
