select 1 as a, 'two' as b, null as c \gset
\echo :a :b :{?c} :{?a}
select 'x' as v \gset pre_
\echo :pre_v :'pre_v' :"pre_v"
select 1 as a where false \gset
select g from generate_series(1, 2) g \gset
select 1 as "bad name" \gset
select 1/0 as z \gset
select format('create table t%s (n int)', g) from generate_series(1, 3) g \gexec
\dt
select 'select ' || g, null, 'select 1/0' from generate_series(1, 2) g \gexec
select 'drop table t' || g from generate_series(1, 4) g \gexec
select 5 \g
select 6 \gx
select 7 \g (format=unaligned tuples_only=on)
select 8 \g out.txt
\! cat out.txt
select 9 \g | tr 9 8
select 'desc' as d, 1::numeric(5,2) as n, null::text[] as a \gdesc
select nope \gdesc
create table z (a int) \gdesc
select \gdesc
select 1 as "A" \gset
\echo :A
