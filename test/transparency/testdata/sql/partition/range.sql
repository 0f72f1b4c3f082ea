create table m (at date not null, v int) partition by range (at);
create table m24 partition of m for values from ('2024-01-01') to ('2025-01-01');
create table m25 partition of m for values from ('2025-01-01') to (maxvalue);
create table bad partition of m for values from ('2024-06-01') to ('2024-07-01');
create table bad partition of m for values from ('2023-06-01') to ('2022-07-01');
insert into m values ('2024-05-05', 1), ('2026-01-01', 2);
insert into m values ('2020-01-01', 3);
insert into m24 values ('2025-02-02', 4);
update m set at = '2025-03-03' where v = 1;
select tableoid::regclass, * from m order by at;
\d+ m
\d m24
alter table m detach partition m24;
alter table m attach partition m24 for values from ('2024-01-01') to ('2025-01-01');
explain (costs off) select * from m where at = '2024-02-02';
create table rest partition of m default;
insert into m values ('1999-01-01', 9);
create table m19 partition of m for values from ('1990-01-01') to ('2000-01-01');
drop table m;
