create table t (a int);
prepare p as select * from t;
execute p;
alter table t add column b text;
execute p;
drop table t;
execute p;
create table t (a int);
execute p;
