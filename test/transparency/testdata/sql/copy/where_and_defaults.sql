create table t (id int generated always as identity, k int, d text default 'dflt', g int generated always as (k * 2) stored);
copy t (k) from stdin where k % 2 = 0;
1
2
3
4
\.
select * from t order by id;
copy t to stdout;
copy t (g) from stdin;
copy t (g) to stdout;
