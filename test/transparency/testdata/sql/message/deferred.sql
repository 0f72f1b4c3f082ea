--: message
create table p (id int primary key); create table c (p int references p deferrable initially deferred); insert into c values (1); insert into p values (1); insert into c values (2); select 'before the end'
