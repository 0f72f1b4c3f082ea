create table q (id int primary key, state text);
insert into q select g, 'new' from generate_series(1, 5) g;
begin;
select * from q where id < 3 order by id for update;
\! psql -X -c 'select * from q order by id for update skip locked'
\! psql -X -c 'select * from q order by id for update nowait'
\! psql -X -c 'select id from q where id = 1 for key share nowait' -c 'select id from q where id = 4 for no key update nowait'
\! psql -X -c "set statement_timeout = 50; update q set state = 'x' where id = 1"
\! psql -X -c "set lock_timeout = 50; select * from q where id = 1 for share"
commit;
select * from q order by id for share of q;
select count(*) from q for update;
select * from q for update of z;
