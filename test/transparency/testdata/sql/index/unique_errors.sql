create table t (a int, b int, constraint ab unique (a, b));
insert into t values (1, 1), (1, null), (1, null);
insert into t values (1, 1);
create unique index one on t (a);
create unique index conc on t (a) ;
create unique index concurrently conc on t (a);
\d t
drop index conc;
drop index ab;
insert into t values (1, 1) on conflict (a, b) do nothing;
insert into t values (1, 1) on conflict (b) do nothing;
insert into t values (1, 1) on conflict on constraint ab do update set b = 9 returning *;
insert into t values (7, 7), (7, 7) on conflict (a, b) do update set b = 8;
