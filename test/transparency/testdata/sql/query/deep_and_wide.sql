select 1 + (select 1 + (select 1 + (select 1)));
do $$ begin execute 'select ' || repeat('(', 20000) || '1' || repeat(')', 20000); end $$;
do $$ begin execute 'create table wide (' || (select string_agg('c' || g || ' int', ',') from generate_series(1, 1700) g) || ')'; end $$;
do $$ begin execute 'create table wide (' || (select string_agg('c' || g || ' int', ',') from generate_series(1, 1000) g) || ')'; end $$;
insert into wide default values;
select count(*) from information_schema.columns where table_name = 'wide';
\pset format unaligned
select * from wide;
select repeat('x', 100000), repeat('ü', 50000);
select length(string_agg(g::text, ',')) from generate_series(1, 200000) g;
select repeat('0123456789', 500000) = repeat('0123456789', 500000);
\t
select repeat('wide ', 1000000);
