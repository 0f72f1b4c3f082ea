select (date '2024-01-01', date '2024-02-01') overlaps (date '2024-01-15', interval '1 day'), isfinite(date 'infinity'), clock_timestamp() >= now();
select generate_series(date '2024-01-01', '2024-01-03', '1 day'), generate_series(1, 2);
