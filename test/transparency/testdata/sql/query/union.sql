select 1 union select 1 union all select 2 order by 1;
select g from generate_series(1, 3) g intersect select 2;
select g from generate_series(1, 3) g except all select 2 order by 1;
