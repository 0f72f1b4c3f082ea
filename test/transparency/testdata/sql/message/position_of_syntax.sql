--: message
create table t (n int);
insert into t values (1);
select 'ünï' fro m t;
