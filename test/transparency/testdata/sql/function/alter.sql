create function f(a int) returns int language sql as 'select a';
alter function f(int) rename to g;
alter function g(int) immutable leakproof;
alter function g(int) immutable strict security definer parallel restricted cost 5;
alter function g(int) rows 5;
alter function g(int) set search_path = writer, pg_temp;
alter function g(int) reset all;
alter function g(int) set nonsense = 1;
alter function g(int) depends on extension plpgsql;
alter function g(int) no depends on extension plpgsql;
alter function g set schema public;
alter function g owner to current_user;
alter function nope() immutable;
\df+ public.g
\sf public.g
drop function public.g;
