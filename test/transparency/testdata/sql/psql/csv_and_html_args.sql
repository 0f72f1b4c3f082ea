--: args --csv
select 1 as a, 'x,"y"' as b, E'l1\nl2' as c, null as d;
select 1/0;
