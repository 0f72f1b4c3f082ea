select 1::text, '1'::int, cast('t' as bool), 'yes'::bool, 'off'::bool, 1::bool, true::int, 1.7::int, int '5', '1,5'::point, 'x'::bool;
select pg_typeof(1), pg_typeof(1.0), pg_typeof('x'), pg_typeof(null), pg_typeof(1 + 1.0), pg_typeof(now()), pg_typeof(array[1.5]);
create type pair as (a int, b int);
create function pair_text(pair) returns text language sql immutable as $$ select ($1).a || '/' || ($1).b $$;
create cast (pair as text) with function pair_text(pair) as assignment;
select (1, 2)::pair::text; select '' || (1, 2)::pair;
create cast (pair as text) with function pair_text(pair);
create cast (int4 as pair) with inout; create cast (int4 as text) without function;
\dC pair
drop cast (pair as text); drop cast (pair as text); drop cast if exists (pair as text);
select 'a'::date; select true + 1; select 1 = 'x'; select 1 || 2; select null || 'x', null = null, null is null, 1 is distinct from null;
