create table l (k text, n int) partition by list (k);
create table l_ab partition of l for values in ('a', 'b');
create table l_null partition of l for values in (null) partition by hash (n);
create table l_null0 partition of l_null for values with (modulus 2, remainder 0);
create table l_null1 partition of l_null for values with (modulus 2, remainder 1);
create table bad partition of l_null for values with (modulus 3, remainder 1);
insert into l values ('a', 1), (null, 2), (null, 3), (null, 4);
insert into l values ('z', 1);
select tableoid::regclass, count(*) from l group by 1 order by 1;
\d+ l
\dP
\dPt+ l
select * from pg_partition_tree('l');
select pg_partition_root('l_null0'), pg_get_partkeydef('l'::regclass);
truncate l;
create index on l (n);
\d l_ab
