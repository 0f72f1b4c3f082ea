select 'a'::date;
select true + 1;
select 1 = 'x';
select 1 || 2;
select null || 'x', null = null, null is null, 1 is distinct from null;
