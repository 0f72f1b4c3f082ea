--: env PGCLIENTENCODING=LATIN1
\encoding
select 'caf' || chr(233), length('é');
select '€';
select chr(8364);
create table t (v text);
insert into t values ('é');
select v, octet_length(v) from t;
do $$ begin raise notice 'é %', chr(233); end $$;
do $$ begin raise notice '%', chr(8364); end $$;
select 1 as "é";
select nopé;
copy t to stdout;
copy t from stdin;
é
\.
set client_encoding = utf8;
select v from t;
