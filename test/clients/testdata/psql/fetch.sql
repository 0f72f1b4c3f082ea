select count(*), sum(id) from (select id from :big) x;
\o /dev/null
select id from :big;
\o
\echo :ROW_COUNT rows
\set FETCH_COUNT 1000
\o /dev/null
select i from generate_series(1, 2500) i;
\o
\echo :ROW_COUNT rows, :ERROR
