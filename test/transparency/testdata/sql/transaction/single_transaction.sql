--: args -1
create table t (n int);
insert into t values (1);
select * from t;
select 1/0;
select 'aborted';
