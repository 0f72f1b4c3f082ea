create temp table t (n int);
insert into t values (1);
begin;
create temp table gone (n int) on commit drop;
create temporary table emptied (n int) on commit delete rows;
insert into gone values (1);
insert into emptied values (1);
select * from gone, emptied;
commit;
select * from gone;
select * from emptied;
create temp table public.x (n int);
create table pg_temp.y (n int);
select attname from pg_attribute where attrelid = 'y'::regclass and attnum > 0;
select relpersistence from pg_class where relname in ('t', 'y') order by 1;
create table t (n text);
select pg_typeof(n) from t;
discard temp;
\d t
