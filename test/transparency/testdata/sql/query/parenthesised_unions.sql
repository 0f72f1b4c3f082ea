(select 3 limit 1) union (select 1) order by 1 desc;
select 1 as a union select 2 order by a + 1;
select 1 union select 'x';
select 1, 2 union select 1;
select 'a' union select null order by 1;
values (1) union values (2.5) order by 1;
