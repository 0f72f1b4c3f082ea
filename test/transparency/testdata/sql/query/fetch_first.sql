select g from generate_series(1, 10) g fetch first 3 rows only;
select g / 3 from generate_series(1, 10) g order by 1 fetch first 1 rows with ties;
select 1 limit -1;
select 1 offset 'x';
select 1 limit null;
