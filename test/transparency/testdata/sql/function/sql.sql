create function one() returns int language sql as $$ select 1 $$;
create function add(a int, b int default 10) returns int language sql immutable strict parallel safe as 'select a + b';
create function pair(out a int, out b text) language sql as $$ select 1, 'x' $$;
create function rows(n int) returns table (i int, sq int) language sql as $$ select g, g * g from generate_series(1, n) g $$;
create function ends(variadic xs int[]) returns int language sql return xs[1] + xs[array_upper(xs, 1)];
create function std(a int) returns int begin atomic select a + 1; select a * 2; end;
select one(), add(1), add(1, 2), add(b => 1, a => 5), add(null), pair(), (pair()).b, ends(1, 2, 3), std(21);
select * from rows(3);
select * from pair();
select add('x');
select add(1, 2, 3);
select noexist(1);
select add(a => 1, c => 2);
create function one() returns int language sql as 'select 2';
create or replace function one() returns text language sql as $$ select 'x' $$;
create or replace function one() returns int language sql as $$ select 'x' $$;
create function bad() returns int language sql as $$ select nope $$;
\df one
\sf std
\df+ add
drop function add;
drop function add(int);
drop function if exists add(text);
