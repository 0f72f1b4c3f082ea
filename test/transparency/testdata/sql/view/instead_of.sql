create table t (id int, v text);
create view v as select id, v from t;
create function io() returns trigger language plpgsql as $$
begin
  raise notice '% on % with %', tg_op, tg_table_name, coalesce(new, old);
  if tg_op = 'INSERT' then insert into t values (new.id, new.v); end if;
  return coalesce(new, old);
end $$;
create trigger io instead of insert or update or delete on v for each row execute function io();
insert into v values (1, 'a'), (2, 'b');
update v set v = 'c' where id = 2;
delete from v;
select * from t order by id;
create trigger bad before insert on v for each row execute function io();
create trigger bad instead of insert on t for each row execute function io();
