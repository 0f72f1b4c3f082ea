create function classify(n int) returns text language plpgsql as $$
declare
  kind text;
  total constant int := 3;
begin
  if n < 0 then kind := 'negative';
  elsif n = 0 then kind := 'zero';
  else kind := 'positive'; end if;
  case n when 1, 2 then kind := kind || ' small'; else null; end case;
  for i in reverse 3..1 by 2 loop kind := kind || ' ' || i; continue when i = 1; end loop;
  while length(kind) < 20 loop kind := kind || '.'; exit when length(kind) > 15; end loop;
  return kind;
end $$;
select classify(-1), classify(0), classify(1), classify(null);
create function many() returns setof int language plpgsql as $$
declare r record; a int[] := array[7, 8];
begin
  foreach r.x in array a loop return next r.x; end loop;
end $$;
select many();
create or replace function many() returns setof int language plpgsql as $$
declare x int; a int[] := array[7, 8];
begin
  foreach x in array a loop return next x; end loop;
  return query select 9 union all select 10;
  return query execute 'select $1' using 11;
end $$;
select * from many();
create function bad() returns int language plpgsql as $$ begin retrun 1; end $$;
create function bad() returns int language plpgsql as $$ begin end $$;
select bad();
