create table t (id int, v text, changed int default 0);
create function touch() returns trigger language plpgsql as $$
begin
  raise notice '% % % % old=% new=%', tg_name, tg_when, tg_level, tg_op, old, new;
  if tg_op = 'DELETE' then return old; end if;
  new.changed := new.changed + 1;
  return new;
end $$;
create trigger b before insert or update of v or delete on t for each row execute function touch();
create trigger a after update on t for each row when (old.* is distinct from new.*) execute procedure touch();
insert into t values (1, 'x') returning *;
update t set id = 2;
update t set v = 'y' returning *;
delete from t returning *;
\d t
alter trigger a on t rename to z;
alter trigger nope on t rename to z;
alter table t disable trigger b;
insert into t values (3, 'q') returning *;
alter table t enable always trigger b;
alter table t disable trigger user;
alter table t disable trigger all;
\d t
drop trigger z on t;
drop trigger z on t;
drop trigger if exists z on t;
select * from t order by id;
