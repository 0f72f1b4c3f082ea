create table t (id int, v text);
\copy t from stdin
1	one
2	two
\.
\copy t to 'out.txt'
\! cat out.txt
\copy (select id, v from t order by id desc) to 'out.csv' csv header
\! cat out.csv
\copy t from 'out.txt'
\copy t from 'missing.txt'
\copy t (id, v) from program 'printf "7\tseven\n8\teight\n"'
\copy t to pstdout
select * from t order by id;
\copy nothing from stdin
1
\.
\copy (select * from) to stdout
