create table t (a int primary key, b int);
create schema other;
alter table t set schema other;
\d other.t
alter table other.t set unlogged;
alter table other.t set logged;
alter table other.t set (fillfactor = 70, autovacuum_enabled = off);
alter table other.t reset (fillfactor);
alter table other.t cluster on t_pkey;
alter table other.t set without cluster;
alter table other.t set without oids;
alter table other.t replica identity full;
alter table other.t replica identity using index nope;
alter table other.t owner to nobody_here;
alter table other.t owner to current_user;
alter table other.t set tablespace pg_default;
alter table other.t set access method heap;
alter table other.t set access method nope;
alter table if exists missing rename to x;
alter table missing add column x int;
alter table all in tablespace pg_default set tablespace pg_default;
\d+ other.t
