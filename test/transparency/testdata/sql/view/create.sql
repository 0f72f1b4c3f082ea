create table t (id int, v text);
insert into t values (1, 'a'), (2, 'b');
create view v as select id, upper(v) as up from t where id > 0;
create or replace view v (id, up, extra) as select id, upper(v), 1 from t;
create or replace view v as select v from t;
\d v
\d+ v
select * from v order by id;
create view renamed (x, y) with (security_barrier) as select * from t with local check option;
insert into renamed values (3, 'c');
create temp view tv as select 1 as one;
create recursive view nums (n) as values (1) union all select n + 1 from nums where n < 3;
select * from nums;
drop view v, renamed;
drop view v;
create view bad as select 1 as a, 2 as a;
create view bad as select * from missing;
create view bad as select $1;
select pg_get_viewdef('nums');
