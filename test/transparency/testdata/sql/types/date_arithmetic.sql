select date '2024-03-31' + interval '1 month', date '2024-03-01' - date '2024-02-01', timestamp '2024-01-01' - timestamp '2023-01-01 12:00', age('2024-03-01', '2023-01-31');
