create table t (a int, b int, c text);
insert into t select g % 10, g % 5, 'x' from generate_series(1, 500) g;
create statistics st (dependencies, ndistinct) on a, b from t;
create statistics on a, b, (a + b) from t;
create statistics st on a, b from t;
create statistics if not exists st on a, b from t;
analyze t;
select stxname, stxkind from pg_statistic_ext where stxrelid = 't'::regclass order by 1;
select dependencies, n_distinct from pg_stats_ext where statistics_name = 'st';
alter statistics st set statistics 50;
alter statistics st rename to st2;
alter statistics st2 owner to current_user;
alter statistics st2 set schema public;
alter statistics nope rename to x;
create statistics bad on a from t;
create statistics bad (nope) on a, b from t;
create statistics bad on a, z from t;
\d t
\dX public.*
drop statistics public.st2;
drop statistics st2;
drop statistics if exists st2;
explain (costs off) select * from t where a = 1 and b = 1;
