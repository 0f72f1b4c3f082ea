create table t (id serial primary key, v text check (v <> ''), at date default '2024-01-01');
insert into t (v) values ('a'), ('b');
create view v as select * from t;
create function f(int) returns int language sql as 'select $1';
create index on t (v);
comment on table t is 'dumped';
create schema more;
create table more.m (like t);
grant select on t to public;
\! pg_dump --restrict-key=fixed -n writer -n more | grep -v '^-- Dumped'
\! pg_dump --restrict-key=fixed -n writer --inserts --data-only -t writer.t | grep -v '^-- Dumped'
\! pg_dump -Fc -n writer -f d.dump && pg_restore -l d.dump | grep -v "^;" | cut -d" " -f4-
\! pg_dump --restrict-key=fixed -n nope 2>&1
\! pg_dump --restrict-key=fixed -s -t writer.t > t.sql; psql -X -q -c 'drop table writer.t cascade'; psql -X -q -f t.sql; psql -X -c '\d t'
