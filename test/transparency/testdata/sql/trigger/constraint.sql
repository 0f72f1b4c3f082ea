create table t (n int);
create function chk() returns trigger language plpgsql as $$
begin
  if (select sum(n) from t) > 10 then raise exception 'sum is %', (select sum(n) from t) using errcode = 'check_violation'; end if;
  return null;
end $$;
create constraint trigger total after insert or update on t deferrable initially deferred for each row execute function chk();
insert into t values (5);
insert into t values (6);
begin;
insert into t values (20);
update t set n = 1;
commit;
begin;
insert into t values (20);
set constraints total immediate;
rollback;
begin;
insert into t values (20);
commit;
select * from t order by n;
