--: message
create table t (a int); alter table t add b int; alter table t rename b to c; create index i on t (c); comment on table t is 'x'; create view v as select c from t; insert into t values (1, 2); select * from v; drop view v; drop table t; select to_regclass('t')
