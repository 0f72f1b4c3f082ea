set intervalstyle = iso_8601;
select interval '1 year -2 days 3 hours';
set intervalstyle = sql_standard;
select interval '1 year -2 days 3 hours';
set intervalstyle = postgres_verbose;
select interval '1 year -2 days 3 hours';
reset intervalstyle;
