create table t (id int primary key, v text);
create publication p for table t;
create publication p2 for table t (id) where (id > 5) with (publish = 'insert, update');
create publication p3;
create publication p for all tables;
create publication p4 for all tables;
create publication p5 for tables in schema writer;
alter publication p3 add table t;
alter publication p3 add table t;
alter publication p3 set table t (id, v);
alter publication p3 drop table t;
alter publication p3 drop table t;
alter publication p set (publish = 'delete');
alter publication p set (publish = 'nope');
alter publication p rename to pp;
alter publication pp owner to current_user;
alter publication pp owner to admin;
alter publication nope add table t;
select pubname, pubinsert, pubdelete from pg_publication order by 1;
select * from pg_publication_tables order by pubname;
\dRp
\dRp+ p2
\d t
delete from t;
update t set v = 1;
drop publication pp;
drop publication pp;
drop publication if exists pp;
drop publication p2, p3;
