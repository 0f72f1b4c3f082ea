create table t (n int);
create view v as select n from t;
create function tr() returns trigger language plpgsql as $$ begin raise notice 'row %', new.n; insert into t values (new.n * 10); return null; end $$;
create trigger tr instead of insert on v for each row execute function tr();
copy v from stdin;
1
2
\.
select * from t order by n;
copy v to stdout;
copy (select * from v order by n) to stdout;
create materialized view mv as select * from t;
copy mv to stdout;
copy mv from stdin;
create sequence s;
copy s to stdout;
create table p (k int) partition by list (k);
create table p1 partition of p for values in (1, 2);
copy p from stdin;
1
2
\.
copy p to stdout;
copy p1 to stdout;
copy p from stdin;
3
\.
