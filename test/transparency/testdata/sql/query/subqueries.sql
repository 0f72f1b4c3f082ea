select * from pg_am a, pg_am b where a.oid = b.oid and a.amname = 'heap';
select count(*) from generate_series(1, 100000);
select exists (select 1 where false), (select 5), 3 in (select generate_series(1, 3)), 1 = any (array[1, 2]), (1, 2) = (select 1, 2);
select (select 1, 2);
select (select generate_series(1, 2));
