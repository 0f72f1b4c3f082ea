create table t (n int primary key);
begin;
copy t from stdin;
1
2
\.
savepoint s;
copy t from stdin;
2
\.
rollback to s;
copy t from stdin;
3
\.
commit;
select * from t order by n;
begin;
copy t from stdin with (freeze);
4
\.
rollback;
begin;
truncate t;
copy t from stdin with (freeze);
9
\.
commit;
select * from t;
