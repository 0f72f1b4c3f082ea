select g % 2 as odd, count(*), sum(g) from generate_series(1, 5) g group by odd having count(*) > 2;
