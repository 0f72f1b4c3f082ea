create table src (id int primary key, v text default 'x' check (v <> ''), g int generated always as (id * 2) stored, i int generated always as identity);
comment on column src.v is 'the value';
create index src_v on src (v);
alter table src alter v set storage external;
create table a (like src);
create table b (like src including all);
create table c (like src including defaults including constraints excluding indexes, extra date);
\d a
\d+ b
\d c
create table d (like src including nonsense);
