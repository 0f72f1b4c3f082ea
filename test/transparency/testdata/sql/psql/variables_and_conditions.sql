\set x 5
\set name 'it''s'
select :x + 1, :'name', :'x'::int;
\set tab t
create table :tab (a int);
insert into :"tab" values (:x);
select * from :tab where a = :x;
select :nope;
select ':x', $$:x$$, x'1F', 'a'::text;
\unset x
select :x;
\if true
select 'yes';
\if false
select 'never';
\else
select 'else';
\endif
\elif true
select 'no';
\endif
select count(*) > 0 as has from t \gset
\if :has
\echo has rows
\endif
\echo :ROW_COUNT :ERROR :SQLSTATE :LAST_ERROR_SQLSTATE
select 1/0;
\echo :ERROR :SQLSTATE :LAST_ERROR_MESSAGE
update t set a = 1;
\echo :ROW_COUNT
\set ECHO queries
select 'echoed';
\set ECHO none
select 'quiet';
\set QUIET on
create table q (a int);
\endif
