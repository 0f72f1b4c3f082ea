select 'x'::int;
select '1.5'::int;
select ''::numeric;
select '99999999999'::int;
select '1e400'::float8;
