create extension citext;
create extension if not exists citext;
create extension citext;
select 'A'::citext = 'a';
create table t (v citext);
insert into t values ('Hello');
select * from t where v = 'hELLO';
\dx citext
\dx+ citext
alter extension citext set schema public;
alter extension citext update;
alter extension citext update to '99';
alter extension citext add table t;
alter extension citext drop function citext(bpchar);
alter extension nope update;
create extension nope;
create extension hstore schema writer cascade;
select 'a=>1'::hstore -> 'a';
create extension pageinspect;
create extension postgres_fdw;
drop extension citext;
drop extension citext cascade;
drop extension hstore;
drop extension if exists hstore;
drop extension plpgsql;
select name, installed_version from pg_available_extensions where name in ('plpgsql', 'citext') order by 1;
