select; select 1; select 1 as one, 'x' "two"; select null; table pg_am; values (1, 'a'), (2, null);
select * from generate_series(1, 5) g where g > 2 order by g desc limit 2 offset 1;
select g % 2 as odd, count(*), sum(g) from generate_series(1, 5) g group by odd having count(*) > 2;
select distinct g / 2 from generate_series(1, 4) g order by 1; select distinct on (g % 2) g from generate_series(1, 4) g order by g % 2, g desc;
select * from (values (1, 'x'), (2, 'y')) v(a, b) where b in ('x', 'z') or a between 5 and 6;
select case when g = 1 then 'one' when g > 2 then 'many' end from generate_series(1, 3) g; select coalesce(null, 2), nullif(1, 1), greatest(1, 3, null), least(2, 1);
select g from generate_series(1, 10) g fetch first 3 rows only; select g / 3 from generate_series(1, 10) g order by 1 fetch first 1 rows with ties; select 1 limit -1; select 1 offset 'x'; select 1 limit null;
select * from pg_am a, pg_am b where a.oid = b.oid and a.amname = 'heap'; select count(*) from generate_series(1, 100000); select exists (select 1 where false), (select 5), 3 in (select generate_series(1, 3)), 1 = any (array[1, 2]), (1, 2) = (select 1, 2);
select (select 1, 2); select (select generate_series(1, 2));
