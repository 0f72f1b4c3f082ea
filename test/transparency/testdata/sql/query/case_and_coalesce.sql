select case when g = 1 then 'one' when g > 2 then 'many' end from generate_series(1, 3) g;
select coalesce(null, 2), nullif(1, 1), greatest(1, 3, null), least(2, 1);
