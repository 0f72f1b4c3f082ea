select 1/0;
select 1.0/0;
select 1::float8/0;
select mod(1, 0);
select sqrt(-1);
select ln(0);
select 0 ^ -1;
