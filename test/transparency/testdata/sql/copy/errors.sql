create table t (id int primary key, v text not null check (v <> 'bad'));
copy t from stdin;
1	a
x	b
\.
copy t from stdin;
1	a
1	b
\.
copy t from stdin;
1
\.
copy t from stdin;
1	a	extra
\.
copy t from stdin;
1	\N
\.
copy t from stdin;
1	bad
\.
select * from t;
copy nothing from stdin;
copy t (nope) from stdin;
copy t from stdin with (format nonsense);
copy t from stdin with (delimiter 'ab');
copy t from '/etc/passwd';
copy t to '/tmp/x';
copy t to program 'cat';
copy t from stdin where id > ;
select 'still here';
