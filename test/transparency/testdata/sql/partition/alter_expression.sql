create table p (a int, b int) partition by range (a, (b % 10));
create table p1 partition of p for values from (minvalue, 0) to (10, 5);
create table p2 partition of p for values from (10, 5) to (20, minvalue);
insert into p values (1, 1), (10, 15), (10, 4);
insert into p values (30, 1);
select tableoid::regclass, * from p order by a, b;
alter table p alter a type bigint;
alter table p drop column a;
alter table p add constraint pos check (a > 0);
alter table p1 drop constraint pos;
\d+ p1
alter table p attach partition p1 default;
create table x (a int, b int);
insert into x values (100, 1);
alter table p attach partition x for values from (40, 0) to (50, 0);
alter table p attach partition p for values from (40, 0) to (50, 0);
