--: args -L log.txt -o out.txt
select 'in the output file';
create table t (a int);
select 1/0;
\o
\! cat out.txt log.txt
