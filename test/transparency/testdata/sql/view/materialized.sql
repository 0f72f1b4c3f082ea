create table t (id int, v int);
insert into t select g, g * g from generate_series(1, 4) g;
create materialized view mv as select id, v from t where id > 1 with no data;
select * from mv;
refresh materialized view mv;
select * from mv order by id;
refresh materialized view concurrently mv;
create unique index on mv (id);
insert into t values (9, 9);
refresh materialized view concurrently mv;
select count(*) from mv;
insert into mv values (1, 1);
refresh materialized view mv with no data;
refresh materialized view concurrently mv;
refresh materialized view t;
refresh materialized view nope;
alter materialized view mv rename to mv2;
alter materialized view mv2 rename column v to w;
alter materialized view mv2 set (fillfactor = 90);
alter materialized view mv2 cluster on mv_id_idx;
alter materialized view if exists nope set schema public;
create materialized view if not exists mv2 as select 1;
\d+ mv2
\dm
drop table t;
drop materialized view mv2;
drop materialized view if exists mv2;
