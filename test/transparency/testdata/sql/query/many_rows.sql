\pset format unaligned
select g, g * 7 % 13, 'row number ' || g from generate_series(1, 20000) g;
select g, 100 / (15000 - g) from generate_series(1, 20000) g;
select 'after';
