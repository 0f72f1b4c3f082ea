create table t (n int);
create procedure fill(n int) language plpgsql as $$
begin
  for i in 1..n loop
    insert into t values (i);
    if i % 2 = 0 then commit; else rollback; end if;
  end loop;
end $$;
call fill(5);
select * from t;
begin;
call fill(2);
rollback;
call fill(1)\; select 1;
do $$ begin insert into t values (100); commit; raise notice 'kept'; rollback; end $$;
select * from t order by n;
create function f() returns void language plpgsql as $$ begin commit; end $$;
select f();
