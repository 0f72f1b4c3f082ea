select 'infinity'::date, '-infinity'::timestamp, 'epoch'::timestamptz, date 'January 8, 1999', date '4713-01-01 BC', '2024-W01'::date;
