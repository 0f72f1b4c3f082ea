create tablespace ts location '/tmp/nowhere';
create tablespace pg_x location '/tmp';
alter tablespace pg_default set (random_page_cost = 1);
alter tablespace nope rename to x;
alter tablespace pg_global owner to current_user;
drop tablespace nope;
drop tablespace if exists nope;
drop tablespace pg_default;
create table t (a int) tablespace pg_default;
create table bad (a int) tablespace pg_global;
create index on t (a) tablespace nope;
set default_tablespace = 'nope';
create table bad (a int);
reset default_tablespace;
set temp_tablespaces = 'nope';
select pg_tablespace_size('pg_default') > 0;
select spcname from pg_tablespace order by 1;
\db
\db+ pg_global
