select 'abc' like 'a%', 'abc' ilike 'A_C', 'abc' ~ '^a.c$', 'abc' similar to 'a(b|c)c', 'a%' like 'a\%', 'x' like 'x\';
