--: args -v ON_ERROR_STOP=1
create table t (n int);
insert into t values ('x');
select 'never printed';
