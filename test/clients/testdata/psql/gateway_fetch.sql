\set FETCH_COUNT 1000
select id from :big;
\echo :LAST_ERROR_SQLSTATE
