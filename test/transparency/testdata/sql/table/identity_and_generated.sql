create table t (id int generated always as identity (start 10 increment 5), a int, b int generated always as (a * 2) stored);
insert into t (a) values (1), (2);
insert into t (id, a) values (1, 1);
insert into t (id, a) overriding system value values (1, 1);
insert into t (a, b) values (1, 1);
insert into t (a, b) values (1, default) returning *;
update t set b = 5;
update t set id = 5;
update t set id = default where a = 2;
select * from t order by id;
\d t
