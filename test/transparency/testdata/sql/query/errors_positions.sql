select nope;
select 1 from nope;
select * fro t;
select 'a' + 1;
select
  1,
  nope,
  3;
select t.x from (select 1 as y) t;
zork 1;
select ünï, 'ü' || nope from pg_am;
select 1 where 'ü' = nope and true;
select foo(1, 'x', null);
select * from generate_series(1, 2) g where g = 'x';
select 1 as "a b", (;
select '
a long
text' || nope;
)
;
create zork t (a int);
select 1 order by 5;
select sum(1) over (partition by nope);
insert into pg_am (amname, nope) values (1, 2);
select cast(1 as nope);
select $1;
select 1 = ;
select a.b.c.d.e from x;
select * from (select 1);
select 1 -- comment
  + /* block /* nested */ */ nope;
drop table;
/* unterminated
;
