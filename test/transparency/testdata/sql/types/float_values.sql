select 'NaN'::float8, 'Infinity'::float8, '-inf'::numeric, 'nan'::numeric;
select 1e308 * 10;
select 1e308::float8 * 10;
select 1e-320::float8, 0.1::float4, 0.1::float8, 0.1::float8 + 0.2::float8;
set extra_float_digits = 0;
select 0.1::float8 + 0.2::float8;
reset extra_float_digits;
