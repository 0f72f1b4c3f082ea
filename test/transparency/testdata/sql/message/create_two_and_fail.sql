--: message
create table t (a int primary key); create table u (b int references t); insert into u values (1); select 'no'
