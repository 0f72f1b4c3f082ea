create table t (n int);
insert into t select generate_series(1, 3);
create function open_it(refcursor) returns refcursor language plpgsql as $$
begin open $1 for select * from t; return $1; end $$;
begin;
select open_it('mine');
fetch all in mine;
commit;
begin;
create function two() returns setof refcursor language plpgsql as $$
declare a refcursor := 'first'; b refcursor := 'second';
begin open a for select 1 as x; return next a; open b for select 'q' as y; return next b; end $$;
select two();
fetch all from first;
fetch all from second;
rollback;
select open_it('gone');
fetch all in gone;
