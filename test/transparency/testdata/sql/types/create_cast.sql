create type pair as (a int, b int);
create function pair_text(pair) returns text language sql immutable as $$ select ($1).a || '/' || ($1).b $$;
create cast (pair as text) with function pair_text(pair) as assignment;
select (1, 2)::pair::text;
select '' || (1, 2)::pair;
create cast (pair as text) with function pair_text(pair);
create cast (int4 as pair) with inout;
create cast (int4 as text) without function;
\dC pair
drop cast (pair as text);
drop cast (pair as text);
drop cast if exists (pair as text);
