select a[1], a[2:3], a[:2], a[5], array_length(a, 1), cardinality(a), array_dims(a), a || 4, 0 || a, a @> array[2], a && array[9], 2 = any (a), 5 <> all (a) from (select array[1, 2, 3]) v(a);
