create table base (id int, note text check (note <> ''));
create table child (extra int) inherits (base);
insert into base values (1, 'b');
insert into child values (2, 'c', 3);
select tableoid::regclass, * from base order by id;
select * from only base;
update base set note = note || '!' ;
select * from child;
create table other (id int, note text);
alter table other inherit base;
alter table other add check (note <> '');
alter table other inherit base;
alter table child no inherit base;
\d+ base
alter table base alter id type bigint;
alter table other alter id type int;
alter table other rename id to x;
drop table base;
drop table base cascade;
