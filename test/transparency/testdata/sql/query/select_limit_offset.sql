select * from generate_series(1, 5) g where g > 2 order by g desc limit 2 offset 1;
