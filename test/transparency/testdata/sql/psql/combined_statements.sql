select 1\; select 2\; select 3;
select 1 \; create table t (a int) \; insert into t values (1) returning a;
begin \; select 'in' \; commit;
select 1 \; select 1/0 \; select 2;
select 1 as a \; select 2 as b \gset
\echo :b
\set SHOW_ALL_RESULTS off
select 1 \; select 2;
\set SHOW_ALL_RESULTS on
select 1 \; select 2 \gx
;;
 ;
/* only a comment */;
-- nothing
select 1 /* c */ \; -- d
