\set ECHO_HIDDEN on
\dn writer
\d nope
\set ECHO_HIDDEN off
\set ECHO errors
select 1/0;
\errverbose
\nosuchcommand
\copy
\d+ +
\o out.txt
select 'to file';
\o
\! cat out.txt
\qecho to query output
\warn to stderr
\echo -n no newline
\echo
\w buf.sql
select 1
\p
\r
\p
\i nofile.sql
\! echo 'select 42 as included;' > inc.sql
\i inc.sql
\ir inc.sql
\cd nowhere
\prompt
\timing off
\q
select 'never';
