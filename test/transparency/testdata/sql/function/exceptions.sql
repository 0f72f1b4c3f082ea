create function attempt(d int) returns text language plpgsql as $$
declare state text; msg text; det text; hnt text; ctx text;
begin
  return (10 / d)::text;
exception
  when division_by_zero then
    get stacked diagnostics state = returned_sqlstate, msg = message_text, det = pg_exception_detail, hnt = pg_exception_hint, ctx = pg_exception_context;
    raise warning 'caught % "%" at %', state, msg, ctx;
    return 'infinite';
  when others then raise;
end $$;
select attempt(2), attempt(0);
create function nested(n int) returns int language plpgsql as $$
begin
  if n = 0 then raise exception 'bottom' using detail = 'the detail', hint = 'the hint', errcode = 'U0001', table = 't', column = 'c', constraint = 'k', schema = 's', datatype = 'd'; end if;
  return nested(n - 1);
end $$;
select nested(3);
do $$ begin assert 1 = 2, 'one is not two'; end $$;
do $$ begin raise sqlstate '22012'; end $$;
do $$ begin raise unique_violation using message = 'own words'; end $$;
do $$ begin raise no_such_condition; end $$;
do $$ begin perform 1/0; exception when no_such_condition then null; end $$;
do $$ declare x int; begin select 1 into strict x where false; end $$;
do $$ declare x int; begin select g into strict x from generate_series(1, 2) g; end $$;
