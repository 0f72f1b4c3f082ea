create table :item (id bigint primary key, name text not null);
insert into :item values (1, 'one'), (2, 'ß');
select * from :item order by id;
create table :typed (:definition);
insert into :typed values (:values);
begin;
create table :gone (id int);
rollback;
begin;
create table :gone (id int);
commit;
drop table :gone;
\dt :schema.*
select 1 as "many" \; create table :gone (id int) \; drop table :gone;
