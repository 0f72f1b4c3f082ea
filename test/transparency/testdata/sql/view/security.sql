create table secret (owner text, v int);
insert into secret values ('writer', 1), ('other', 2);
create view mine with (security_invoker = true) as select * from secret where owner = current_user;
select * from mine;
create view barrier with (security_barrier = true) as select * from secret where owner = 'writer';
create function leak(int) returns bool language plpgsql cost 0.0001 as $$ begin raise notice 'saw %', $1; return true; end $$;
select * from barrier where leak(v);
select * from mine where leak(v);
