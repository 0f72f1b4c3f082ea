--: args -n
select 1;
select 2;
