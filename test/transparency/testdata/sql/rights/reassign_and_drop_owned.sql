--: role createrole
create role heir;
create role temp_owner;
grant heir to writer;
grant temp_owner to writer;
grant create on schema writer to temp_owner, heir;
set role temp_owner;
create table writer.owned (a int);
create view writer.ov as select 1;
reset role;
\d owned
reassign owned by temp_owner to heir;
select relname, relowner::regrole from pg_class where relname in ('owned', 'ov') order by 1;
reassign owned by nope to heir;
reassign owned by heir to nope;
drop owned by temp_owner;
drop owned by heir restrict;
drop owned by heir cascade;
drop owned by nope;
drop role heir, temp_owner;
select to_regclass('owned');
