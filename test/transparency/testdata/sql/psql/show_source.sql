create view v as select 1 as one union all select 2;
create function f(a int) returns int language plpgsql as $$
begin
  return a; -- comment
end $$;
\sv v
\sv+ v
\sf f
\sf+ f(int)
\sf nope
\sv nope
\sf lower(text)
