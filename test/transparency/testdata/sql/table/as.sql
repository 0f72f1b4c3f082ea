create table t as select g as id, 'n' || g as name from generate_series(1, 3) g;
create table u (a, b) as select * from t with no data;
\d u
create table if not exists u as select 1;
create table v as values (1, 'x'), (2, 'y');
select * from v;
create table w as table t;
select * into x from t where id > 1;
select * from x;
select 1 as a into temp table tmp;
select * from tmp;
create unlogged table ul as select 1 as one;
create temp table t2 on commit drop as select 1;
select * from t2;
create table bad as select 1, 2;
create table bad (a, b) as select 1;
create table bad as select 1/0;
