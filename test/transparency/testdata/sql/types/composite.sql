create type addr as (street text, no int);
create table t (id int, a addr, many addr[]);
insert into t values (1, ('Main', 5), array[('A', 1), ('B', 2)]::addr[]), (2, null, '{}');
select a, (a).street, (a).no, many[2].street, a is null from t order by id;
update t set a.no = 6 where id = 1;
select * from t order by id;
select (a).zip from t;
select row(1, 'x') = row(1, 'x'), row(1, null) is null, row(null, null) is null;
alter type addr add attribute zip text;
alter type addr rename attribute street to road cascade;
alter type addr drop attribute if exists nope;
alter type addr alter attribute no type bigint cascade;
alter type addr owner to current_user;
\d addr
select '(x,1,)'::addr, '("a ""q"" b",,z)'::addr;
select '(x,1'::addr;
select '(x,y,)'::addr;
drop type addr;
drop type addr cascade;
\d t
