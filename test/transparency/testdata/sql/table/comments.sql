create table t (a int constraint pos check (a > 0));
comment on table t is 'a table';
comment on column t.a is 'a column with ''quotes''';
comment on constraint pos on t is 'must be positive';
create index i on t (a);
comment on index i is 'an index';
create view v as select 1;
comment on view v is 'a view';
create function f(int) returns int language sql as 'select $1';
comment on function f(int) is 'a function';
comment on schema writer is 'mine';
comment on type writer.nope is 'x';
comment on column t.zz is 'x';
comment on table nope is 'x';
comment on role writer is 'me';
comment on database tablewright is 'x';
\dd
\dt+ t
\d+ t
select obj_description('t'::regclass), col_description('t'::regclass, 1);
comment on table t is null;
select obj_description('t'::regclass);
