(select 1 order by 1) union all (select 2 order by 1) limit 1;
select 1 except select 1;
select 1 intersect all select 1;
