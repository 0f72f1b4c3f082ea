prepare v (varchar, bpchar, "char", name, oid, bytea, uuid, inet, interval, jsonb, point, int4range, bit, tsvector) as
  select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14;
\x
execute v('a', 'b', 'c', 'd', 1, '\x00ff', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '10.0.0.1/8', '1 day 2:03', '{"a":[1]}', '(1,2)', '[1,5)', '1', 'a:1 b:2');
execute v(null, null, null, null, null, null, null, null, null, null, null, null, null, null);
