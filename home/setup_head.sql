-- Prepares a PostgreSQL (15 or newer) as the home database of Tablewright. Run it as a superuser:
--
--   psql -X -v owner=tablewright -v database=tablewright -f home-setup.sql
--
-- owner is the role of the gateway's own connections (give it a password afterwards), database the home
-- database. Both are made when they are missing. The script may run again, and has to when a new release
-- says so. `tablewright home check` lists what it granted.
--
-- Generated from home/setup_head.sql, home/privileged.sql and home/setup_tail.sql.

\set ON_ERROR_STOP on
\if :{?owner}
\else
  \set owner tablewright
\endif
\if :{?database}
\else
  \set database tablewright
\endif

-- CREATEROLE: the gateway makes roles for members of admin, who do not have that right themselves. On
-- PostgreSQL 15 it is close to superuser; ALTER ROLE … NOCREATEROLE switches that feature off.
select format('create role %I login createrole', :'owner')
  where not exists (select from pg_roles where rolname = :'owner') \gexec
select format('create database %I owner %I encoding ''UTF8'' template template0', :'database', :'owner')
  where not exists (select from pg_database where datname = :'database') \gexec
\connect :"database"

begin;
