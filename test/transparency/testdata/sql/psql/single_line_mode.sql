--: args -S
select 1
select 2
create table t (a int)
insert into t values (1), (2)
select * from t
select 1/0
