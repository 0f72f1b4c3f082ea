select 1 from from x;
\echo :LAST_ERROR_SQLSTATE
create table :item (id int,, name text);
\echo :LAST_ERROR_SQLSTATE
create table :bad (id int, ß nosuchtype);
\echo :LAST_ERROR_SQLSTATE
create table :item (id int);
\echo :LAST_ERROR_SQLSTATE
select ß from :item;
\echo :LAST_ERROR_SQLSTATE
select 1/0;
\echo :LAST_ERROR_SQLSTATE
select id, repeat('long ', 20) as words from :item where nocolumn = 1;
\errverbose
select 1 as usable;
