create table t (a int, b int);
create index i on t (a);
create index j on t ((a + b));
alter index i rename to i2;
alter index i2 set (fillfactor = 60);
alter index i2 reset (fillfactor);
alter index j alter column 1 set statistics 300;
alter index i2 alter column 1 set statistics 300;
alter index i2 set tablespace pg_default;
alter index if exists nope rename to x;
alter index nope rename to x;
alter index i2 depends on extension plpgsql;
alter index i2 no depends on extension plpgsql;
\d+ j
\di+ i2
drop index i2, j;
drop index if exists i2;
drop index i2;
