create table t (a int[], b text[][]);
insert into t values ('{1,2}', '{{x}}');
update t set a[4] = 9, b[1][1] = 'y';
select * from t;
update t set a[null] = 1;
select a[1][1] from t;
select generate_subscripts(a, 1) from t;
select array_to_string(a, ',', '-') from t;
