select date '2024-02-29', time '04:05:06.789', timetz '04:05+02', timestamp '2024-02-29 12:00', timestamptz '2024-02-29 12:00+02', interval '1 year 2 mons 3 days 04:05:06';
