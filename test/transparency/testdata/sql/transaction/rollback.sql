create table t (id int);
begin;
insert into t values (1);
rollback;
select * from t;
begin work;
insert into t values (2);
abort;
select * from t;
begin transaction;
drop table t;
rollback work;
\d t
