select;
select 1;
select 1 as one, 'x' "two";
select null;
table pg_am;
values (1, 'a'), (2, null);
