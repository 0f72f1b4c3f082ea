create table t (n int);
create procedure add(x int, inout y int default 5, out z text) language plpgsql as $$
begin insert into t values (x); y := y + x; z := 'done'; end $$;
call add(1, 2, null);
call add(3, z => null);
call add();
call nope();
select add(1, 2);
create procedure sqlproc(a int) language sql as $$ insert into t values (a); insert into t values (a + 1) $$;
call sqlproc(10);
call sqlproc((select 1));
select * from t order by n;
create function f() returns int language sql as 'select 1';
call f();
alter procedure sqlproc(int) rename to renamed;
alter procedure renamed(int) set work_mem = '1MB';
alter procedure renamed(int) security definer;
alter routine renamed(int) owner to current_user;
alter routine f() stable;
\df renamed
\dfp
drop procedure renamed;
drop procedure add;
drop routine f;
drop routine if exists f;
drop procedure nope(int);
