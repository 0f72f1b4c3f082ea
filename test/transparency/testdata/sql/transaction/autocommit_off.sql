\set AUTOCOMMIT off
create table t (n int);
insert into t values (1);
rollback;
select * from t;
rollback;
create table t (n int);
commit;
insert into t values (7);
\set AUTOCOMMIT on
select * from t;
commit;
\d t
