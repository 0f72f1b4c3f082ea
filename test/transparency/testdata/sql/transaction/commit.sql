begin;
create table t (id int primary key, note text);
insert into t values (1, 'one'), (2, 'two');
commit;
select * from t order by id;
start transaction;
delete from t where id = 1;
end;
select count(*) from t;
