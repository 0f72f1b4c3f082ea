create table t (n int);
create function st() returns trigger language plpgsql as $$
declare c int := -1;
begin
  if tg_op = 'INSERT' and tg_when = 'AFTER' then select count(*) into c from fresh; end if;
  raise notice '% % args % rows %', tg_when, tg_op, tg_argv[0], c; return null;
end $$;
create trigger s1 before insert or delete or truncate on t for each statement execute function st('first');
create trigger s2 after insert on t referencing new table as fresh for each statement execute function st('second', 2);
insert into t select generate_series(1, 3);
insert into t select 1 where false;
delete from t where n = 2;
truncate t;
create trigger bad after insert or update on t referencing new table as x for each statement execute function st();
create trigger bad before insert on t referencing new table as x for each statement execute function st();
create trigger bad before truncate on t for each row execute function st();
create trigger s1 before insert on t execute function st();
create or replace trigger s1 before insert on t execute function st('replaced');
insert into t values (9);
