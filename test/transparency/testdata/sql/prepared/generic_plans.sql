create table t (a int, b text);
insert into t select g, 'v' || g from generate_series(1, 20) g;
set plan_cache_mode = force_generic_plan;
prepare p (int) as select * from t where a = $1;
explain (costs off) execute p(3);
execute p(3);
set plan_cache_mode = force_custom_plan;
explain (costs off) execute p(3);
select generic_plans, custom_plans from pg_prepared_statements;
