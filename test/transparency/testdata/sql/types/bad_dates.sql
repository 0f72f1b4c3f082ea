select date '2024-02-30';
select date 'nonsense';
select timestamp '2024-13-01';
select time '25:00';
select interval '1 fortnight';
select '10000000-01-01'::date;
