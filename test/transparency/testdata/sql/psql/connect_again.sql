create temp table gone (a int);
select count(*) from gone;
\c -
select count(*) from gone;
\c tablewright writer
select current_user;
\c - nosuchrole
\c - pg_monitor
select current_user;
\c "dbname=tablewright application_name=again"
show application_name;
\connect -reuse-previous=on "options='-c work_mem=3MB'"
show work_mem;
