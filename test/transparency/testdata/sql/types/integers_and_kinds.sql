select 1::int2, 1::int4, 1::int8, 1::float4, 1::float8, 1::numeric, 1::money, 1::oid;
