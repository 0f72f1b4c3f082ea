--: message
drop table if exists a; drop table if exists b; create table a (n int); create table if not exists a (n int); do $$ begin raise warning 'w'; end $$; select 1/0
