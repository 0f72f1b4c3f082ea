select distinct g / 2 from generate_series(1, 4) g order by 1;
select distinct on (g % 2) g from generate_series(1, 4) g order by g % 2, g desc;
