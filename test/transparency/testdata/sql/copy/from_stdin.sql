create table t (id int, name text, price numeric(6,2));
copy t from stdin;
1	tea	2.50
2	\N	3
3	back\\slash\tand tab	\N
\.
select * from t order by id;
copy t (id, name) from stdin with (format csv, header, null 'NULL');
id,name
4,"quoted, ""text"""
5,NULL
6,
\.
select * from t order by id;
copy t from stdin (delimiter '|', null '');
7|pipe|1
8||
\.
select * from t order by id;
