select pg_typeof(1), pg_typeof(1.0), pg_typeof('x'), pg_typeof(null), pg_typeof(1 + 1.0), pg_typeof(now()), pg_typeof(array[1.5]);
