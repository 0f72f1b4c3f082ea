select 1::text, '1'::int, cast('t' as bool), 'yes'::bool, 'off'::bool, 1::bool, true::int, 1.7::int, int '5', '1,5'::point, 'x'::bool;
