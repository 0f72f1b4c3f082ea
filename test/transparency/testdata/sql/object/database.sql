drop database nope;
drop database if exists nope;
drop database tablewright;
drop database postgres with (force);
alter database tablewright set work_mem = '1MB';
alter database tablewright connection limit 5;
alter database nope rename to x;
alter database tablewright owner to writer;
alter database tablewright set tablespace pg_default;
alter database tablewright refresh collation version;
alter database tablewright reset all;
alter system set work_mem = '1MB';
alter system reset all;
comment on database postgres is 'x';
select datname, encoding, datcollate, datistemplate from pg_database order by 1;
\l template1
